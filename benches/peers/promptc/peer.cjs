// promptc from Node, with the map read: `peer.cjs N` prints milliseconds of the first call, the median of N with nothing changed, and
// the median of N with one fact changed.
const { Project } = require('promptc-cli')

async function call(project, turn) {
	const start = performance.now()
	const prompt = await project.build({ turn })
	if (!prompt.text || !prompt.layers.length) throw new Error('there is no prompt')
	return performance.now() - start
}

function median(times) {
	return times.sort((a, b) => a - b)[times.length >> 1]
}

async function main(count) {
	const start = performance.now()
	const project = await Project.open('turn.kdl', { roots: { workspace: '.' } })
	const first = performance.now() - start + (await call(project, 0))
	const [same, changed] = [[], []]
	for (let n = 0; n < count; n++) same.push(await call(project, 0))
	for (let turn = 1; turn <= count; turn++) changed.push(await call(project, turn))
	console.log(first, median(same), median(changed))
}

main(Number(process.argv[2]))
