// Uses reports in a browser: `node check.mjs PROMPTC CHROMIUM EXAMPLES [PICTURES]`.
import { chromium } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

const [promptc, executablePath, examples, pictures] = process.argv.slice(2);
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'promptc-browser-'));
const at = (name) => path.join(scratch, name);
const write = (name, text) => {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), text);
};
const run = (...args) =>
  execFileSync(promptc, args, { cwd: scratch, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });

// ---- reports

const ATLAS = ['-m', 'atlas/promptc.kdl', '--scenario', 'incident'];

function reports() {
  fs.cpSync(path.join(examples, 'atlas'), at('atlas'), { recursive: true });
  run('report', ...ATLAS, '-o', 'single.html');
  run('build', ...ATLAS, '--format', 'json', '-o', 'old.json');
  run('build', ...ATLAS, '--tokenizer', 'o200k', '--format', 'json', '-o', 'counted.json');
  write('atlas/workspace/skills/audit/SKILL.md', '---\ndescription: Reads the audit log of a host.\n---\nStart with the last hour.\n');
  run('report', 'old.json', ...ATLAS, '-o', 'pair.html');
  run('report', ...ATLAS, '--model', 'claude-opus-5-5', '--requests-per-day', '2000', '-o', 'priced.html');
  run('report', '-m', 'atlas/promptc.kdl', '-o', 'scenarios.html');
  write('order/promptc.kdl', `promptc 1
fact today date default="2026-03-30" changes=day
tier daily changes=day {
    layer clock { template "Today is {{ today }}." }
}
tier base changes=deploy {
    layer rules { text "Be kind, be brief, and say what you do not know." }
}
`);
  run('report', '-m', 'order/promptc.kdl', '-o', 'order.html');

  write('chat/promptc.kdl', `promptc 1
name helper
root workspace default="."
fact today date changes=day
tier stable { layer rules { file "AGENTS.md" } }
tier daily changes=day { layer clock { template "Today is {{ today }}." } }
session { refresh event=compaction }
`);
  for (const day of [1, 2, 3, 5]) {
    write('chat/AGENTS.md', `Rules as of day ${day}.\n`.repeat(20));
    run('build', '-m', 'chat/promptc.kdl', '--session', 'chat-7', '--event', 'compaction', '--set', `today=2026-03-0${day}`,
      '--now', `2026-03-0${day}T08:00:00Z`);
  }
  run('report', '-m', 'chat/promptc.kdl', '--session', 'chat-7', '-o', 'history.html');

  write('hostile/promptc.kdl', `promptc 1
root workspace default="."
fact evil string
tier stable { layer one { glob "*.md"; template "<u>{{ content }}</u>{{ evil }}" } }
`);
  write('hostile/a<img src=x onerror=alert(1)>.md', HOSTILE);
  run('report', '-m', 'hostile/promptc.kdl', '--set', `evil=${HOSTILE}`, '-o', 'hostile.html');

  write('large/promptc.kdl', `promptc 1
root workspace default="."
tier stable {
    layer skills { skills "skills"; template "{% for e in entries %}- {{ e.name }}: {{ e.description }}\\n{% endfor %}" }
    layer log { file "log.md" }
}
`);
  for (let n = 0; n < 1000; n++) {
    write(`large/skills/s${n}/SKILL.md`, `---\ndescription: Does the thing number ${n}.\n---\nx\n`);
  }
  write('large/log.md', Array.from({ length: 15000 }, (_, n) => `Line ${n} of a log that nobody reads to its end, or so it is said.\n`).join(''));
  run('report', '-m', 'large/promptc.kdl', '-o', 'large.html');

  requests();
}

/** Conversations with 100 requests each: a system prompt that changes, tools that move, a message that is edited. */
function conversations(chats, rulesOfEach, words) {
  const lines = [];
  const tool = (n) => ({ name: `tool_${n}`, description: `Does the thing number ${n}.`, input_schema: { type: 'object' } });
  for (let chat = 0; chat < chats; chat++) {
    const rules = Array.from({ length: rulesOfEach }, (_, n) => `Rule ${n}: say what is known of the harbour, and no more, in case ${chat}.`);
    const messages = [];
    let tools = Array.from({ length: 12 }, (_, n) => tool(n));
    for (let n = 0; n < 100; n++) {
      messages.push({ role: 'user', content: `Question ${n}. `.repeat(words) });
      if (n % 17 === 5) tools = [...tools.slice(1), tools[0]];
      if (n % 23 === 7) messages[0] = { role: 'user', content: `Edited at ${n} ${chat ? '' : HOSTILE}` };
      const time = new Date(Date.UTC(2026, 10, 21, 8, n, chat % 60)).toISOString();
      const system = [...rules, `It is ${Math.floor(n / 4)}.`].join('\n');
      const request = { model: 'claude-opus-5-5', max_tokens: 9, cache_control: { type: 'ephemeral' }, tools, system, messages };
      lines.push(JSON.stringify({ time, conversation: `chat-${chat}`, url: 'https://api.anthropic.com/v1/messages', request }));
      messages.push({ role: 'assistant', content: `Answer ${n}.` });
    }
  }
  return lines;
}

function requests() {
  const lines = conversations(20, 80, 10);
  write('bodies.jsonl', lines.join('\n') + '\n');
  run('capture', 'import', 'bodies.jsonl', '-o', 'requests.jsonl');
  run('report', 'requests.jsonl', '-o', 'requests.html');
  // One with more requests than a page has room for.
  write('many-bodies.jsonl', conversations(100, 8, 1).join('\n') + '\n');
  run('capture', 'import', 'many-bodies.jsonl', '-o', 'many.jsonl');
  run('report', 'many.jsonl', '-o', 'many.html');
  // One with two chains and a request that came too late, which is looked at closely.
  const few = lines.slice(0, 13);
  few.push(lines[13].replace('08:13', '09:13'), lines[100].replace('chat-1', 'chat-0'));
  write('few.jsonl', few.join('\n') + '\n');
  run('capture', 'import', 'few.jsonl', '-o', 'few-requests.jsonl');
  run('report', 'few-requests.jsonl', '-o', 'few.html');
  usage(lines);
}

/** The same requests with what was billed, and side calls of another model. */
function usage(lines) {
  const billed = lines.map((line, at) => {
    const one = JSON.parse(line);
    const n = at % 100;
    const of = { tokens: 4000 + n * 60, read: n % 17 === 5 || n === 26 || n === 71 ? 0 : n % 23 === 7 ? 3000 : n % 4 === 0 ? 1200 : 4000 + (n - 1) * 60 };
    const read = n ? of.read : 0;
    const usage = { input_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: of.tokens - read, output_tokens: 50 + n };
    const chat = Math.floor(at / 100);
    // Two breaks of a quarter of an hour, in which a cache is over.
    const minutes = n + (n > 25 ? 15 : 0) + (n > 70 ? 15 : 0);
    one.time = new Date(Date.UTC(2026, 10, 10 + Math.floor(chat * chat / 40), 8 + chat % 5, minutes, chat)).toISOString();
    const answer = (id) => ({ id, type: 'message', role: 'assistant', content: [{ type: 'text', text: `Answer ${n}.` }] });
    one.response = { ...answer(`msg_${at}`), usage };
    return one;
  });
  for (const one of billed.filter((_, at) => at % 100 === 3)) {
    const request = { model: 'claude-haiku-4-5', max_tokens: 9, system: 'Write a title.', messages: [{ role: 'user', content: `Title ${one.time}` }] };
    const response = { id: `t_${one.time}`, type: 'message', role: 'assistant', content: [], usage: { input_tokens: 300, output_tokens: 9 } };
    billed.push({ ...one, request, response });
  }
  write('billed.jsonl', billed.map((one) => JSON.stringify(one)).join('\n') + '\n');
  run('capture', 'import', 'billed.jsonl', '-o', 'billed-requests.jsonl');
  run('report', '--usage', 'billed-requests.jsonl', '-o', 'usage.html');
}

const HOSTILE = `</script><script>window.ran=1</script><img src=x onerror="window.ran=2"><svg onload="window.ran=3">
</style><iframe srcdoc="<script>parent.ran=4</script>"></iframe><a href="javascript:window.ran=5">here</a>
<!-- <meta http-equiv=refresh content="0;url=https://example.org">
`;

// ---- the browser

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** Opens a report, and fails if it writes an error or asks for anything but itself. */
async function open(named, options = {}) {
  const [name, hash = ''] = named.split('#');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const url = 'file://' + at(name);
  const seen = [];
  page.on('console', (message) => seen.push(`console: ${message.type()} ${message.text()}`));
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('request', (request) => request.url().split('#')[0] === url || seen.push(`request: ${request.url()}`));
  page.on('dialog', (dialog) => { seen.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(hash ? `${url}#${hash}` : url);
  const done = async () => {
    await page.waitForTimeout(50);
    assert.deepEqual(seen, [], name);
    await context.close();
  };
  return { page, done };
}

const text = (page, selector) => page.locator(selector).first().innerText();
const count = async (page, wanted, found) => {
  await page.locator('#find').fill(wanted);
  await page.waitForFunction((told) => document.querySelector('#found').value === told, found, { timeout: 10000 })
    .catch(async () => assert.equal(await text(page, '#found'), found, `search for ${wanted}`));
};

/** Clicks on words of the prompt that one piece holds, at `top` of the window. */
async function point(page, words, top) {
  const place = await page.evaluate(([words, top]) => {
    const piece = [...document.querySelectorAll('.text [data-p]')].find((p) => p.textContent.includes(words));
    const at = piece.textContent.indexOf(words);
    const range = document.createRange();
    range.setStart(piece.firstChild, at);
    range.setEnd(piece.firstChild, at + words.length);
    scrollBy({ top: range.getBoundingClientRect().top - top });
    const box = range.getBoundingClientRect();
    return { x: box.x + 2, y: box.y + 4 };
  }, [words, top]);
  await page.mouse.click(place.x, place.y);
}

let steps = 0;
async function step(name, act) {
  await act();
  steps += 1;
  console.log(`ok  ${name}`);
}

// ---- what must hold

async function clicks() {
  const { page, done } = await open('single.html');
  await page.locator('.name', { hasText: 'working-rules' }).click();
  assert.match(await text(page, '#told'), /layer\s+working-rules[\s\S]*document\s+project:workspace\/AGENTS.md/);
  await page.locator('#told button', { hasText: 'Show' }).first().click();
  assert.equal(await text(page, '#told h3'), 'project:workspace/AGENTS.md:1');
  // The line under the pointer, further down in the same document.
  await point(page, 'Logs, tickets', 300);
  const lines = fs.readFileSync(at('atlas/workspace/AGENTS.md'), 'utf8').split('\n');
  const here = lines.findIndex((l) => l.includes('Logs, tickets')) + 1;
  assert.match(await text(page, '#told'), new RegExp(`Here\\s+line ${here}\\b`));
  // A place that a link of the page leads to.
  await page.locator('nav a', { hasText: 'no-runbook' }).click();
  // A link is followed a moment after the click.
  await page.locator('#told', { hasText: 'absent: condition' }).waitFor();
  assert.match(await text(page, '#told'), /no-runbook[\s\S]*absent: condition/);
  await done();
}

async function keys() {
  const { page, done } = await open('single.html');
  const source = () => text(page, '#told h3');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  const inText = () => page.evaluate(() => !!document.activeElement.closest('.text'));
  for (let n = 0; n < 60 && !(await inText()); n++) await page.keyboard.press('Tab');
  assert.ok(await inText(), 'Tab leads into the text');
  const first = await source();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const third = await source();
  assert.notEqual(third, first);
  assert.ok(await inText(), 'the focus is on the place');
  assert.ok(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none'), 'the focus is seen');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await source(), third);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'h-source');
  await page.keyboard.press('Escape');
  assert.ok(await inText(), 'Escape leads back');
  // A layer's name is a button.
  await page.locator('.name', { hasText: 'identity' }).focus();
  await page.keyboard.press('Enter');
  assert.equal(await source(), 'identity');
  await done();
}

async function search() {
  const { page, done } = await open('single.html');
  const prompt = run('build', ...ATLAS, '--format', 'json');
  const whole = JSON.parse(prompt).channels.map((channel) => channel.text).join('\n');
  const times = whole.toLowerCase().split('runbook').length - 1;
  assert.ok(times > 3);
  await count(page, 'RunBook', `1 of ${times}`);
  await page.locator('#find').press('Enter');
  assert.equal(await text(page, '#found'), `2 of ${times}`);
  await page.locator('#previous').click();
  await page.locator('#previous').click();
  assert.equal(await text(page, '#found'), `${times} of ${times}`);
  await page.locator('#next').click();
  assert.equal(await text(page, '#found'), `1 of ${times}`);
  assert.ok(await page.evaluate(() => {
    const [range] = CSS.highlights.get('here');
    const box = range.getBoundingClientRect();
    return range.toString().toLowerCase() === 'runbook' && box.top > 0 && box.bottom < innerHeight;
  }), 'the match is marked and seen');
  await count(page, 'no such words at all', 'nothing found');
  // What means something to a regular expression means nothing here.
  await count(page, '{% if site.tls %}', '1 of 1');
  await page.locator('#find').fill('');
  await page.waitForFunction(() => document.querySelector('#found').value === '');
  await done();
}

async function history() {
  const { page, done } = await open('history.html');
  const told = JSON.parse(run('session', 'history', '-m', 'chat/promptc.kdl', '--format', 'json'));
  const { rebuilds } = told;
  assert.equal(rebuilds.length, 3);
  // Each rebuild has its command; a layer stands in sums and rebuilds, and nothing of a prompt can be chosen.
  await count(page, 'promptc DIFF', `1 of ${rebuilds.length}`);
  await page.locator('#next').click();
  assert.equal(await text(page, '#found'), `2 of ${rebuilds.length}`);
  assert.ok(await page.evaluate(() => {
    const [range] = CSS.highlights.get('here');
    const box = range.getBoundingClientRect();
    return range.toString() === 'promptc diff' && !!range.startContainer.parentElement.closest('#rebuilds') && box.top > 0 && box.bottom < innerHeight;
  }), 'the match is marked and seen');
  await count(page, 'no such words at all', 'nothing found');
  assert.equal(await page.locator('aside').count(), 0);
  await done();
}

/** What the script of a page of usage reads. */
function billed() {
  const page = fs.readFileSync(at('usage.html'), 'utf8');
  return JSON.parse(/id="data">([^<]*)</.exec(page)[1]);
}

/** The screens of a page of usage: the last is the break in which a text changed and most was avoidable. */
function screens() {
  const { conversations, breaks } = billed();
  const rows = conversations[0].rows;
  const changed = (row) => row.b !== undefined && breaks[row.b].causes.some((cause) => cause.lines.every(Boolean) && cause.texts.every(Boolean));
  return ['usage.html', 'usage.html#conversations', 'usage.html#c0', `usage.html#c0.${rows.findIndex(changed)}`];
}

/** Each kind of page. */
const PAGES = () => ['single.html', 'priced.html', 'pair.html', 'order.html', 'scenarios.html', 'history.html', 'few.html', ...screens()];

/** The verdict is the first thing on every page, in any window, and its figures are those of the commands. */
async function verdicts() {
  for (const name of PAGES()) {
    for (const viewport of [{ width: 390, height: 844 }, { width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      const { page, done } = await open(name.replace(/#.*/, ''), { viewport });
      const figure = await page.locator('.verdict:visible .figures b').first().boundingBox();
      assert.ok(name.startsWith('scenarios') || figure.y + figure.height < viewport.height, `${name}: the first figure is seen at once`);
      assert.ok(await page.locator('.verdict:visible .first').first().isVisible());
      await done();
    }
  }
  const { page, done } = await open('single.html');
  const artifact = JSON.parse(fs.readFileSync(at('counted.json'), 'utf8'));
  const tokens = Object.fromEntries(artifact.channels.map((channel) => [channel.channel, channel.tokens]));
  const whole = tokens.tools + tokens.system + tokens.user;
  const share = Math.round(((tokens.tools + tokens.system) / whole) * 1000) / 10;
  assert.equal(await text(page, '.figures b'), `${share.toFixed(1)} %`);
  assert.match(await text(page, '.figures'), /cost\s+not known/, 'no model, no price');
  await done();
  const priced = await open('priced.html');
  assert.match(await text(priced.page, '.figures'), /a day\s+~\$\d[^]*2,000 calls a day[^]*without a cache[^]*prices of/);
  await priced.done();
  const log = await open('few.html');
  assert.match(await text(log.page, '.verdict'), /reusable from the cache[^]*cost\s+not known[^]*Fix first[^]*promptc capture diff few-requests.jsonl#/);
  await log.done();
  const usage = await open('usage.html');
  const total = JSON.parse(run('usage', 'billed-requests.jsonl', '--format', 'json')).total;
  assert.match(await text(usage.page, '.verdict'), new RegExp(`a day[^]*\\$${Number(total.billed).toFixed(2)} for 2,020 requests`));
  await usage.done();
  // The edit, and the command that makes it.
  const order = await open('order.html');
  assert.match(await text(order.page, '.first'), /promptc check --fix -m order\/promptc.kdl/);
  assert.ok((await order.page.locator('.first .diff :is(ins, del)').count()) > 1);
  await order.done();
}

/** The prompt by tokens, by mouse and by keys. */
async function zoom() {
  const { page, done } = await open('single.html');
  const width = (name) => page.evaluate((name) => {
    const cell = [...document.querySelectorAll('.icicle [role="treeitem"]')].find((one) => one.getAttribute('aria-label').startsWith(name));
    return cell.hasAttribute('hidden') ? 0 : parseFloat(cell.getAttribute('width'));
  }, name);
  const artifact = JSON.parse(fs.readFileSync(at('counted.json'), 'utf8'));
  const layer = artifact.channels.flatMap((channel) => channel.layers).find((one) => one.layer === 'systems');
  const whole = artifact.channels.reduce((sum, channel) => sum + channel.tokens, 0);
  assert.ok(Math.abs((await width('layer systems')) - (layer.tokens / whole) * 100) < 0.01, 'a part is as wide as its tokens');
  await page.locator('.icicle [aria-label^="layer systems"]').click();
  assert.equal(await width('layer systems'), 100);
  assert.equal(await width('layer identity'), 0);
  assert.match(await text(page, '.chosen'), new RegExp(`layer systems, ${layer.tokens} tokens[^]*Show its text`));
  assert.equal(await width('tier context'), 100, 'what is around it stays');
  await page.locator('.chosen button').click();
  assert.equal(await width('tier context') < 100, true);
  // By keys: down to the first tier, to the next one, into it, and back.
  const active = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  assert.match(await active(), /^prompt atlas/);
  for (const [key, wanted] of [['ArrowDown', /^tier tools/], ['ArrowRight', /^tier stable/], ['Enter', /^tier stable/], ['ArrowDown', /^layer identity/]]) {
    await page.keyboard.press(key);
    assert.match(await active(), wanted, key);
  }
  assert.equal(await width('tier stable'), 100);
  await page.keyboard.press('Escape');
  assert.ok((await width('tier stable')) < 100);
  assert.match(await active(), /^prompt atlas/);
  // The table has the same parts, and a layer leads to its text.
  await page.locator('.parts-of > summary').click();
  assert.equal(await page.locator('.parts-of tbody tr').count(), await page.locator('.icicle > svg').count());
  await page.locator('.parts-of a', { hasText: 'systems' }).click();
  assert.match(page.url(), /#layer-\d+$/);
  await done();
}

/** The breakpoints of a model, at the ends of tiers. */
async function breakpoints() {
  const { page, done } = await open('priced.html');
  const told = JSON.parse(run('explain', ...ATLAS, '--model', 'claude-opus-5-5', '--format', 'json'));
  const wanted = told.ends.filter((end) => end.breakpoint).map((end) => String(end.breakpoint));
  assert.deepEqual((await page.locator('.marks text').allTextContents()).flatMap((one) => one.split(', ')), wanted);
  assert.equal(await page.locator('.marks path').count(), wanted.length);
  await done();
}

async function sides() {
  for (const [width, beside] of [[1280, true], [390, false]]) {
    const { page, done } = await open('pair.html', { viewport: { width, height: 844 } });
    const row = page.locator('.diff.two > div', { has: page.locator('ins') }).last();
    const [old, now] = [await row.locator(':scope > *').first().boundingBox(), await row.locator('ins').boundingBox()];
    assert.equal(now.x > old.x + old.width - 1, beside, `${width} px`);
    await done();
  }
}

async function sorting() {
  const { page, done } = await open('single.html');
  const column = async () => (await page.locator('#layers tbody td:nth-child(5)').allTextContents()).map((one) => Number(one.replace(',', '')));
  const before = await column();
  const head = page.locator('#layers thead th').nth(4);
  await head.locator('button').focus();
  for (const [order, sign] of [['descending', -1], ['ascending', 1]]) {
    await page.keyboard.press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), order);
    assert.deepEqual(await column(), before.toSorted((a, b) => sign * (a - b)));
  }
  await page.keyboard.press('Enter');
  assert.equal(await head.getAttribute('aria-sort'), null);
  assert.deepEqual(await column(), before, 'the third time the order is as it was');
  await page.locator('#layers thead button').first().click();
  const names = await page.locator('#layers tbody th').allTextContents();
  assert.deepEqual(names, names.toSorted((a, b) => a.localeCompare(b)));
  await done();
}

async function scenarios() {
  const { page, done } = await open('scenarios.html');
  const names = ['cli', 'incident', 'quiet'];
  assert.deepEqual(await page.locator('.scenes tbody th').allTextContents(), names);
  const seen = async (wanted) => {
    assert.deepEqual(await page.locator('main .scene:visible').evaluateAll((all) => all.map((one) => Number(one.dataset.scene))), [wanted]);
    assert.equal(await page.locator('.verdict:visible').count(), 1);
    assert.equal(await page.locator('nav .tree:visible').count(), 1);
  };
  await seen(0);
  await page.locator('#scenario').focus();
  await page.keyboard.type('quiet');
  await seen(2);
  const prompt = JSON.parse(run('build', '-m', 'atlas/promptc.kdl', '--scenario', 'quiet', '--format', 'json'));
  const shown = await page.locator('main .scene:visible .text').allTextContents();
  assert.ok(prompt.channels.every((channel) => channel.text.includes(shown[0]) || shown.some((one) => channel.text.includes(one))));
  // A place of its text, and its search.
  await page.locator('main .scene:visible .name', { hasText: 'identity' }).click();
  assert.equal(await text(page, '#told h3'), 'identity');
  await page.locator('main .scene:visible .search input').fill('pager');
  await page.waitForFunction(() => /^1 of \d+$/.test(document.querySelector('main .scene:not([hidden]) .search output').value));
  // A link of the table leads to another one.
  await page.locator('.scenes a', { hasText: 'incident' }).click();
  await page.locator('main .scene[data-scene="1"]:visible').waitFor();
  await seen(1);
  assert.equal(await page.locator('#scenario').inputValue(), '1');
  await done();
  const bare = await open('scenarios.html', { javaScriptEnabled: false });
  assert.equal(await bare.page.locator('main .scene:visible').count(), 3);
  // What all say is said once, before them.
  assert.equal((await text(bare.page, 'main')).split('short-prefix').length, 2);
  assert.match(await text(bare.page, '#findings'), /short-prefix[^]*all 3 scenarios/);
  await bare.done();
}

async function copies() {
  const { page, done } = await open('single.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const layer = JSON.parse(fs.readFileSync(at('counted.json'), 'utf8')).channels.find((channel) => channel.channel === 'system');
  const rules = layer.layers.find((one) => one.layer === 'working-rules');
  const bytes = Buffer.from(layer.text);
  await page.locator('article', { has: page.locator('.name', { hasText: 'working-rules' }) }).locator('.copy').click();
  await page.locator('.copy', { hasText: 'Copied' }).waitFor();
  assert.equal(await clipboard(), bytes.subarray(rules.start, rules.end).toString());
  await page.locator('.command .copy').click();
  assert.match(await clipboard(), /^promptc (check|explain) /);
  await done();
  // The edit of a pair is a patch of the manifest.
  const pair = await open('pair.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  await pair.page.locator('.first .edit + .command .copy').click();
  await pair.page.locator('.copy', { hasText: 'Copied' }).waitFor();
  const patch = await pair.page.evaluate(() => navigator.clipboard.readText());
  execFileSync('git', ['apply', '--check', '-'], { cwd: scratch, input: patch });
  await pair.done();
  const evil = await open('hostile.html', { permissions: ['clipboard-read', 'clipboard-write'] });
  await evil.page.locator('article .copy').first().click();
  await evil.page.locator('.copy', { hasText: 'Copied' }).waitFor();
  assert.ok((await evil.page.evaluate(() => navigator.clipboard.readText())).includes('<script>window.ran=1</script>'), 'as it is in the prompt');
  await evil.done();
}

async function usageByMouse() {
  const { page, done } = await open('usage.html');
  const size = Math.round(fs.statSync(at('usage.html')).size / 1000);
  const opened = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domComplete);
  console.log(`    2,020 requests: ${size} KB, open after ${Math.round(opened)} ms`);
  assert.ok(size < 2000 && opened < 2000, `${size} KB, ${opened} ms`);
  const { causes, conversations, breaks, segments } = billed();
  // A day leads to its conversations, and a cause too.
  const seen = () => page.locator('main > section:visible').evaluateAll((all) => all.map((one) => one.id));
  assert.deepEqual(await seen(), ['overview']);
  await page.locator('#overview .bars a').nth(2).click();
  await page.locator('#conversations:visible').waitFor();
  assert.match(await text(page, '#conversations h2'), /Conversations, 2026-11-12/);
  await page.goBack();
  await page.locator('#overview:visible').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '2026-11-12', 'back is where one was');
  // A click beside the link of a row is one on it.
  await page.locator('#overview .causes-of tr', { hasText: 'changed' }).locator('td').nth(1).click();
  await page.locator('#conversations:visible').waitFor();
  assert.match(await text(page, '#conversations h2'), /Conversations with changed tokens/);
  const changed = causes.findIndex(({ name }) => name === 'changed');
  const dollars = (rows) => rows.flatMap((row) => row.p).filter(([cause]) => cause === changed).reduce((sum, part) => sum + part[2], 0) / 1e9;
  const all = conversations.reduce((sum, { rows }) => sum + dollars(rows), 0);
  assert.equal(await text(page, '#shown'), `${conversations.length} conversations, $${all.toFixed(2)}`);
  assert.deepEqual(await page.locator('#conversations .talks svg rect').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('fill')))]), ['url(#k-changed)']);
  // The conversation, its chains apart, each bar to one scale.
  await page.locator('#conversations .talks a').first().click();
  await page.locator('#conversation:visible').waitFor();
  const open_talk = conversations[Number(/#c(\d+)$/.exec(page.url())[1])];
  assert.equal(await page.locator('#conversation tbody tr').count(), open_talk.rows.length);
  assert.equal(await page.locator('#conversation h3').count(), 2, 'two chains');
  const widths = await page.locator('#conversation .chain').first().locator('svg').evaluateAll((bars) => bars.map((bar) =>
    [...bar.querySelectorAll('rect')].reduce((sum, rect) => sum + parseFloat(rect.getAttribute('width')), 0)));
  assert.ok(Math.abs(Math.max(...widths) - 100) < 0.01 && widths.every((width, at) => at === 0 || width > widths[at - 1]), 'longer requests have longer bars');
  // A break: both texts, what differs is marked, what it cost, what to do.
  const place = open_talk.rows.findIndex((row) => row.s !== undefined && segments[row.s].startsWith('system') && row.b !== undefined);
  await page.locator(`#conversation a[href$=".${place}"]`).click();
  await page.locator('#break:visible').waitFor();
  const row = open_talk.rows[place];
  const told = await text(page, '#break');
  const { lines, fix } = breaks[row.b].causes.find((cause) => cause.lines.every(Boolean));
  for (const words of [`#${row.n}: changed`, `- ${lines[0].text}`, `+ ${lines[1].text}`, fix[0].replaceAll('`', ''), 'billed.jsonl:', 'What it cost', 'keep tools, settings']) {
    assert.ok(told.includes(words), `${words} in ${told}`);
  }
  assert.deepEqual(await page.evaluate(() => [...CSS.highlights.get('find')].map(String)), [lines[0].text, lines[1].text]);
  const texts = page.locator('#break .both .text');
  assert.ok(await texts.nth(1).evaluate((one) => one.scrollTop > 0 || one.scrollHeight <= one.clientHeight), 'it is scrolled to the difference');
  await page.locator('#break .go a', { hasText: 'Next' }).click();
  await page.waitForFunction((n) => !document.querySelector('#break h2').textContent.startsWith(`#${n}:`), row.n);
  // The way back is in the contents.
  await page.locator('nav a', { hasText: 'Conversations' }).click();
  await page.locator('#conversations:visible').waitFor();
  assert.match(await text(page, '#conversations h2'), /with changed tokens/, 'the filter is still there');
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await done();
}

async function usageByKeys() {
  const { page, done } = await open('usage.html');
  const active = () => page.evaluate(() => ({ text: document.activeElement.textContent, href: document.activeElement.getAttribute('href') }));
  const tab = async (found) => {
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(found)) return;
    }
    assert.fail(`Tab does not lead to ${found}`);
  };
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.deepEqual(await page.locator('main > section:visible').evaluateAll((all) => all.map((one) => one.id)), ['overview'], 'the link to the report is no screen');
  await tab(() => document.activeElement.closest('.causes-of tbody th'));
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.locator('#conversations:visible').waitFor();
  assert.match((await active()).text, /^Conversations/, 'the focus is on the new screen');
  await tab(() => document.activeElement.matches('#of-cause'));
  await page.keyboard.type('rewritten');
  await page.waitForFunction(() => /with rewritten tokens/.test(document.querySelector('#conversations h2').textContent));
  assert.equal(await page.evaluate(() => document.activeElement.id), 'of-cause', 'the focus stays in the filter');
  await tab(() => document.activeElement.closest('.talks tbody th'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('#conversation:visible').waitFor();
  await tab(() => document.activeElement.closest('.chain tbody th'));
  await page.keyboard.press('ArrowDown');
  const { href } = await active();
  assert.ok(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none'), 'the focus is seen');
  await page.keyboard.press('Enter');
  await page.locator('#break:visible').waitFor();
  assert.ok(page.url().endsWith(href));
  assert.equal(await text(page, 'nav [aria-current]'), /^(#\d+)/.exec(await text(page, '#break h2'))[1]);
  await page.goBack();
  await page.locator('#conversation:visible').waitFor();
  assert.equal((await active()).href, href, 'back is where one was');
  await done();
}

async function looks() {
  const grounds = new Set();
  for (const name of PAGES()) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, done } = await open(name, { colorScheme });
      grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      await done();
    }
    for (const width of [360, 768, 1280]) {
      const { page, done } = await open(name, { viewport: { width, height: 800 } });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} is ${wide} px wider than a window of ${width}`);
      await done();
    }
    const { page, done } = await open(name);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('nav').isVisible(), false, name);
    assert.ok(await page.locator('main h2:visible').first().isVisible());
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.length > 10000 && pdf.subarray(0, 4).toString() === '%PDF');
    await done();
    assert.ok(name.startsWith('usage') || fs.statSync(at(name)).size < 500000, `${name} is small`);
  }
  assert.equal(grounds.size, 2, 'light and dark differ');
}

async function waterfall() {
  const { page, done } = await open('requests.html');
  const told = JSON.parse(run('diff', 'requests.jsonl', '--format', 'json')).comparisons;
  const seen = () => page.locator('.request:visible').count();
  const shown = (n) => page.waitForFunction((n) => document.querySelector('#shown').value === n, `${n} of 2,000 requests`);
  await shown('2,000');
  // By keyboard alone: the native controls, then the rows.
  const choose = async (id, word) => {
    await page.locator(id).focus();
    await page.keyboard.type(word);
  };
  const broken = told.filter((one) => one.state === 'broken');
  await choose('#of-state', 'broken');
  await shown(broken.length);
  const moved = broken.filter((one) => one.causes.some((cause) => cause.kind === 'tool-moved'));
  await choose('#of-cause', 'tool-moved');
  await shown(moved.length);
  const chat = moved[0].conversation;
  await page.locator('#of-conversation').selectOption('0');
  const own = moved.filter((one) => one.conversation === chat);
  await shown(own.length);
  assert.equal(await seen(), own.length);
  await page.locator('.request:visible summary').first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), `r${own[1].b}`);
  for (const id of ['#of-conversation', '#of-state', '#of-cause']) await page.locator(id).selectOption('*');
  await shown('2,000');
  // A row opens to its causes, both texts and the source; the line that differs is marked and seen.
  const one = broken.find((one) => one.first === 'system/0');
  const row = page.locator(`#r${one.b}`);
  await row.locator('summary').focus();
  await page.keyboard.press('Enter');
  const texts = row.locator('.both .text');
  await texts.nth(1).waitFor();
  const [old, now] = [one.causes[0].old, one.causes[0].new];
  assert.match(await row.locator('.panel').innerText(), new RegExp(`source\\s+bodies.jsonl:${one.b}[^]*- ${old}\\s+\\+ ${now}`));
  assert.ok((await texts.nth(0).textContent()).endsWith(old) && (await texts.nth(1).textContent()).endsWith(now));
  assert.deepEqual(await page.evaluate(() => [...CSS.highlights.get('find')].map(String)), [old, now]);
  assert.ok(await texts.nth(1).evaluate((text) => text.scrollTop > 0 || text.scrollHeight <= text.clientHeight), 'it is scrolled to the difference');
  // Another row from there, which opens by its link.
  await row.locator('dd a').first().click();
  await page.locator(`#r${one.a}[open]`).waitFor();
  // What a user waits for.
  const times = await page.evaluate(() => {
    const took = (act) => { const from = performance.now(); act(); document.body.offsetHeight; return performance.now() - from; };
    const state = document.querySelector('#of-state');
    const filter = (value) => took(() => { state.value = value; state.dispatchEvent(new Event('change', { bubbles: true })); });
    return [filter('broken'), filter('*'), performance.getEntriesByType('navigation')[0].domComplete];
  });
  const size = Math.round(fs.statSync(at('requests.html')).size / 1000);
  console.log(`    2,000 requests: ${size} KB, open after ${Math.round(times[2])} ms, filtered in ${times.slice(0, 2).map(Math.round).join(' and ')} ms`);
  assert.ok(times[0] < 500 && times[1] < 500 && times[2] < 2000 && size < 2000, `${times}, ${size} KB`);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await done();
}

/** Of 10,000 requests the breaks that cost most, and what is left out. */
async function many() {
  const { page, done } = await open('many.html');
  const told = JSON.parse(run('diff', 'many.jsonl', '--format', 'json')).comparisons;
  const rows = await page.locator('.request').count();
  assert.match(await text(page, '.left'), new RegExp(`^${rows.toLocaleString('en')} of 10,000 requests have a row`));
  assert.equal(await text(page, '.left + .command code'), 'promptc diff many.jsonl');
  const breaks = told.filter((one) => one.state === 'broken');
  assert.ok(rows > 500 && rows < breaks.length);
  assert.equal(await page.locator('.request.broken').count(), rows);
  // The first of the most expensive has a row, which a click opens.
  const link = page.locator('.worst tbody a').first();
  const href = await link.getAttribute('href');
  await link.click();
  await page.locator(`${href}[open] .both .text`).first().waitFor();
  const took = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domComplete);
  const size = Math.round(fs.statSync(at('many.html')).size / 1000);
  console.log(`    10,000 requests: ${size} KB, open after ${Math.round(took)} ms, ${rows} rows`);
  assert.ok(took < 2000 && size < 2000, `${took}, ${size} KB`);
  await done();
}

async function phone() {
  const { page, done } = await open('single.html', { viewport: { width: 390, height: 844 }, hasTouch: true });
  assert.equal(await page.locator('aside').isVisible(), false);
  await page.locator('.text .f').first().tap();
  assert.ok(await page.locator('aside').isVisible());
  await page.locator('#close').tap();
  assert.equal(await page.locator('aside').isVisible(), false);
  await done();
}

async function without_script() {
  const { page, done } = await open('single.html', { javaScriptEnabled: false });
  assert.match(await text(page, 'main'), /You are|workspace/);
  assert.equal(await page.locator('aside').isVisible(), false);
  assert.equal(await page.locator('#search').isVisible(), false);
  await done();
  const usage = await open('usage.html', { javaScriptEnabled: false });
  for (const [section, words] of [['#overview', /Dollars a day[^]*2026-11-10[^]*What would save most[^]*changed/], ['#conversations', /c-[0-9a-f]+/]]) {
    assert.match(await text(usage.page, section), words);
    assert.ok(await usage.page.locator(section).isVisible());
  }
  assert.ok(await usage.page.locator('#overview .bars rect').first().isVisible());
  await usage.done();
}

async function accessible() {
  const found = [];
  for (const name of PAGES()) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1280, 390]) {
        // The policy lets no script in but the page's own, so this one goes round it.
        const { page } = await open(name, { colorScheme, bypassCSP: true, viewport: { width, height: 900 } });
        const place = page.locator('.text [data-p]');
        if (await place.count()) await place.nth(2).click();
        await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
        await page.waitForFunction(() => !document.querySelector('#waterfall .request[open]:not([data-filled])'));
        await page.addScriptTag({ path: AXE });
        const { violations } = await page.evaluate(() => axe.run({
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }));
        for (const { id, help, nodes } of violations) {
          const where = nodes.slice(0, 3).map((node) => node.html.slice(0, 200));
          found.push([`${name}, ${colorScheme}, ${width} px: ${id}: ${help}`, ...where].join('\n  '));
        }
        await page.context().close();
      }
    }
  }
  assert.deepEqual(found, []);
}

async function breaks() {
  const { page, done } = await open('pair.html');
  const lines = await text(page, '.lines');
  assert.match(lines, /broke\s+layer skills \(tier stable\)/);
  assert.match(lines, /cause\s+skills\/audit\/SKILL.md:2 appeared/);
  assert.ok(await page.locator('.picture rect.broken').first().isVisible());
  const cut = page.locator('#cut');
  await cut.scrollIntoViewIfNeeded();
  assert.equal(await cut.evaluate((mark) => mark.closest('article').querySelector('.name').textContent), 'skills');
  await done();
}

async function hostile() {
  for (const javaScriptEnabled of [true, false]) {
    const { page, done } = await open('hostile.html', { javaScriptEnabled });
    const shown = await page.locator('.text').first().textContent();
    assert.equal(shown.split('<script>window.ran=1</script>').length, 3, 'it stands there twice, as text');
    if (javaScriptEnabled) {
      await page.locator('.text .f').click();
      await page.locator('.name').first().click();
      await page.locator('#find').fill('<iframe');
      await page.waitForTimeout(300);
      assert.equal(await page.evaluate(() => window.ran), undefined);
      assert.equal(await page.locator('main img, main iframe, main script, #told img').count(), 0);
      // Markup that got in all the same would not run: the page's policy has no place for it.
      const allowed = await page.evaluate(async () => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.ran = 6';
        document.body.append(script);
        const image = document.createElement('img');
        image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
        document.body.append(image);
        await new Promise((done) => setTimeout(done, 200));
        return { ran: window.ran, seen };
      });
      assert.equal(allowed.ran, undefined);
      assert.deepEqual(allowed.seen.sort(), ['img-src', 'script-src-elem']);
      await page.context().close();
    } else await done();
  }
}

async function hostileUsage() {
  const { conversations, breaks } = billed();
  const evil = (row) => row.b !== undefined && breaks[row.b].causes.some((cause) => cause.texts.some((words) => words && words.text.includes('</script>')));
  const at = conversations.findIndex(({ rows }) => rows.some(evil));
  const { page, done } = await open(`usage.html#c${at}.${conversations[at].rows.findIndex(evil)}`);
  const shown = await page.locator('#break').textContent();
  assert.ok(shown.includes('<script>window.ran=1</script>'), 'it stands there as text');
  assert.equal(await page.locator('main img, main iframe, main script:not(#data)').count(), 0);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  // An address that names nothing shows the first screen; one from there shows what it was.
  await page.goto(page.url().replace(/#.*/, '#c9999999.1'));
  await page.locator('#break:visible').waitFor();
  await done();
  for (const hash of ['c9999999', 'c0.99999', 'conversations/99/0', '<img src=x>', '__proto__']) {
    const other = await open(`usage.html#${hash}`);
    await other.page.locator('#overview:visible').waitFor();
    await other.done();
  }
}

async function large() {
  const { page, done } = await open('large.html');
  await page.locator('#layer-0 .text .d').nth(5).click();
  assert.match(await text(page, '#told h3'), /^workspace:skills\/s/);
  await count(page, 'Line 14999 of', '1 of 1');
  assert.equal(await text(page, '#told h3'), 'workspace:log.md:1');
  assert.match(await text(page, '#told'), /line 15,000/);
  assert.ok(await page.evaluate(() => {
    const [range] = CSS.highlights.get('here');
    const box = range.getBoundingClientRect();
    return box.top > 0 && box.bottom < innerHeight;
  }), 'the match is seen');
  await count(page, 'nobody reads', '1 of 10,000 or more');
  await done();
}

async function photographs() {
  const shot = async (name, file, act, options = {}) => {
    const { page, done } = await open(name, { viewport: { width: 1280, height: 860 }, ...options });
    await act(page);
    await page.mouse.move(2, 2);
    await page.waitForTimeout(300);
    await page.screenshot({ path: path.join(pictures, file) });
    await done();
  };
  await shot('single.html', 'report.png', async (page) => {
    await point(page, 'never restart anything', 420);
  });
  // The three sizes: a phone, a laptop and a wide window in the dark.
  await shot('priced.html', 'report-phone.png', async () => {}, { viewport: { width: 390, height: 844 } });
  await shot('single.html', 'report-tokens.png', async (page) => {
    await page.locator('.icicle [aria-label^="tier context"]').click();
    await page.evaluate(() => document.querySelector('#tokens').scrollIntoView());
  }, { viewport: { width: 1280, height: 800 } });
  await shot('scenarios.html', 'report-scenarios.png', async (page) => {
    await page.locator('#scenario').selectOption('1');
  }, { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' });
  await shot('pair.html', 'report-pair.png', async (page) => {
    // As a click does, but the page stays where it is.
    await page.evaluate(() => document.querySelector('#cut + [data-p]').click());
  });
  await shot('few.html', 'report-requests.png', async (page) => {
    await page.locator('.request.broken summary').first().click();
  });
  const [overview, , talk, broke] = screens();
  await shot(overview, 'report-usage.png', async () => {});
  await shot(talk, 'report-conversation.png', async () => {});
  await shot(broke, 'report-break.png', async () => {});
}

try {
  reports();
  await step('a click shows the source', clicks);
  await step('so do keys', keys);
  await step('search finds and counts', search);
  await step('the verdict comes first', verdicts);
  await step('the prompt by tokens, zoomed by mouse and keys', zoom);
  await step('breakpoints on the bar', breakpoints);
  await step('a pair shows its break', breaks);
  await step('both texts side by side', sides);
  await step('tables are sorted', sorting);
  await step('scenarios to choose from', scenarios);
  await step('texts and commands are copied', copies);
  await step('search finds in a history', history);
  await step('the requests of a log: filter, rows, texts', waterfall);
  await step('more requests than a page has room for', many);
  await step('usage: days, conversations, requests and a break', usageByMouse);
  await step('usage: by keys alone', usageByKeys);
  await step('light, dark, print, narrow and small', looks);
  await step('a phone has the source below', phone);
  await step('a page shows its text without a script', without_script);
  await step('nothing against WCAG 2.2 A and AA', accessible);
  await step('a hostile prompt runs nothing', hostile);
  await step('nor do hostile requests', hostileUsage);
  await step('a prompt of more than 1 MB', large);
  if (pictures) await step('pictures', photographs);
  console.log(`${steps} steps`);
} finally {
  await browser.close();
  fs.rmSync(scratch, { recursive: true });
}
