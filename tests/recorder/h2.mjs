// A provider that speaks HTTP/2 alone: PORT-FILE CERTIFICATE KEY. It streams events, slowly; it says when a client went away.
import { readFileSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const [portFile, certificate, key] = process.argv.slice(2);
const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: false });
let sessions = 0;
let calls = 0;
server.on('session', () => sessions++);
server.on('stream', (stream, headers) => {
  const id = `msg_${++calls}`;
  let size = 0;
  stream.on('error', () => {});
  stream.on('data', (data) => (size += data.length));
  stream.on('end', async () => {
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream', 'x-seen': `${headers[':authority']} ${size} ${sessions}` });
    const events = [
      { type: 'message_start', message: { id, type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Berth 4 is free.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ];
    for (const event of events) {
      if (stream.destroyed) return console.log('gone');
      stream.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      await new Promise((done) => setTimeout(done, 100));
    }
    stream.end();
  });
});
server.listen(0, '127.0.0.1', () => writeFileSync(portFile, `${server.address().port}\n`));
