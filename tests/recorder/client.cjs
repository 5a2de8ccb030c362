// Asks by the SDKs for Node.js what client.py asks by those for Python, and prints each answer as a line of JSON.
const { Anthropic } = require('@anthropic-ai/sdk');
const { OpenAI } = require('openai');

const SYSTEM = 'You are Harbor. Answer in one sentence.';
const ASKS = ['plain', 'a tool please', 'give me a 429', 'give me a 500'];
const SCHEMA = { type: 'object', properties: { length: { type: 'number' } } };

async function said(name, ask) {
  let got;
  try {
    got = await ask();
  } catch (error) {
    got = { error: error.constructor.name, status: error.status };
  }
  console.log(JSON.stringify([name, got]));
}

async function all(stream) {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
}

async function first(stream) {
  for await (const event of await stream) return event;
}

async function main() {
  const anthropic = new Anthropic({ apiKey: 'none', maxRetries: 0 });
  const tools = [{ name: 'berth', description: 'Find a free berth.', input_schema: SCHEMA }];
  const message = (text, more) =>
    anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 99, system: SYSTEM, tools, messages: [{ role: 'user', content: text }], ...more });
  for (const text of ASKS) {
    await said(`messages ${text}`, () => message(text));
    await said(`messages stream ${text}`, () => all(message(text, { stream: true })));
  }
  await said('messages slow', () => all(message('slow', { stream: true })));
  await said('messages leave', () => first(message('let me leave', { stream: true })));
  await said('messages many', async () => (await Promise.all([...Array(64).keys()].map((i) => message(`number ${i}`)))).map((m) => m.id));

  const openai = new OpenAI({ apiKey: 'none', maxRetries: 0 });
  const berth = { name: 'berth', description: 'Find a free berth.', parameters: SCHEMA };
  const chat = (text, more) =>
    openai.chat.completions.create({
      model: 'gpt-6.1',
      tools: [{ type: 'function', function: berth }],
      messages: [{ role: 'system', content: SYSTEM }, { role: 'user', content: text }],
      ...more,
    });
  const respond = (text, more) =>
    openai.responses.create({ model: 'gpt-6.1', instructions: SYSTEM, tools: [{ type: 'function', ...berth }], input: text, ...more });
  for (const text of ASKS) {
    await said(`chat ${text}`, () => chat(text));
    await said(`chat stream ${text}`, () => all(chat(text, { stream: true, stream_options: { include_usage: true } })));
    await said(`responses ${text}`, () => respond(text));
    await said(`responses stream ${text}`, () => all(respond(text, { stream: true })));
  }
}

main();
