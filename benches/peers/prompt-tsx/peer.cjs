// prompt-tsx: an element for each file with a chunk for each line; the lowest priority in the tree goes until the rest fits.
// Written as the calls that TSX compiles to. It counts with a tokenizer that is given to it: a token for each character.
require('@vscode/prompt-tsx/dist/base/tsx')
const { PromptElement, SystemMessage, TextChunk, Chunk, OutputMode, Raw, renderPrompt } = require('@vscode/prompt-tsx')
const { task, read, lines, main } = require('./common.cjs')

const TASK = task()
const MUST_STAY = 1e6

/** A file: heading and first line go last, and of the lines the last goes first. */
class File extends PromptElement {
	render() {
		const { name, text, stays } = this.props
		const [first, ...rest] = lines(text)
		return vscpp(
			vscppf,
			null,
			vscpp(Chunk, { priority: MUST_STAY }, `## ${name}\n`, first),
			...rest.map((line, number) => vscpp(TextChunk, { priority: stays ? MUST_STAY : 1e5 - number }, line)),
			vscpp(TextChunk, { priority: MUST_STAY }, '\n')
		)
	}
}

class Prompt extends PromptElement {
	render() {
		const file = entry =>
			vscpp(File, { name: entry.name, text: entry.text, stays: entry.priority === null, priority: entry.priority ?? MUST_STAY })
		return vscpp(SystemMessage, null, ...this.props.files.map(file))
	}
}

const text = content => content.map(part => (part.type === Raw.ChatCompletionContentPartKind.Text ? part.text : '')).join('')
const tokenizer = {
	mode: OutputMode.Raw,
	tokenLength: part => (part.type === Raw.ChatCompletionContentPartKind.Text ? part.text.length : 0),
	countMessageTokens: message => text(message.content).length,
}

async function render() {
	const endpoint = { modelMaxPromptTokens: TASK.budget }
	const { messages } = await renderPrompt(Prompt, { files: read(TASK.files) }, endpoint, tokenizer)
	return messages.map(message => text(message.content)).join('')
}

main(render)
