// What the Node scripts of the peers share: reading the task, cutting where the peer does not, and printing or timing.
const fs = require('node:fs')

const task = () => JSON.parse(fs.readFileSync('task.json', 'utf8'))

/** The files anew, each with its text. */
const read = files => files.map(entry => ({ ...entry, text: fs.readFileSync(entry.file, 'utf8') }))

const lines = text => text.match(/[^\n]*\n/g) ?? []

/**
 * Takes lines from the ends of the files of the lowest priority until all fit; `frame` is the length of what a file gets around it.
 * This is the script's work, not the peer's: it is for those that have no budget.
 */
function fit(files, budget, frame) {
	let over = files.reduce((sum, entry) => sum + entry.text.length + frame(entry), 0) - budget
	const mayGo = files.filter(entry => entry.priority !== null).sort((a, b) => a.priority - b.priority)
	for (const entry of mayGo) {
		const kept = lines(entry.text)
		while (over > 0 && kept.length) over -= kept.pop().length
		if (!kept.length) over -= frame(entry)
		entry.text = kept.join('')
	}
	return files.filter(entry => entry.text)
}

/** Without arguments prints one render; with `warm N` the median of N renders in this process, in milliseconds. */
async function main(render) {
	const [command, count] = process.argv.slice(2)
	if (command !== 'warm') {
		process.stdout.write(await render())
		return
	}
	await render()
	const times = []
	for (let n = 0; n < Number(count); n++) {
		const start = performance.now()
		await render()
		times.push(performance.now() - start)
	}
	times.sort((a, b) => a - b)
	console.log(times[times.length >> 1])
}

module.exports = { task, read, lines, fit, main }
