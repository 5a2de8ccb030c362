// What was billed: conversations, the requests of one, and a break. They are made of the data of the page, as texts. Runs behind
// `page.js`, in the same script; without it the page shows the first screen, and the conversations as a table.
(({ one, all, make, number, mark, marks, sortable }) => {
  const data = JSON.parse(one('#data').textContent);
  const { causes, order, periods, models, segments, conversations, breaks, left, without } = data;
  const money = (nano) => {
    const dollars = Math.abs(nano) / 1e9;
    let digits = 2;
    while (nano && dollars < 10 ** (1 - digits) && digits < 12) digits += 1;
    const [whole, part] = dollars.toFixed(digits).split('.');
    return `${nano < 0 ? '-' : ''}$${number(whole)}.${part}`;
  };
  const many = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;
  const time = (seconds) => new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);
  const long = (seconds) => {
    if (seconds < 0) return `-${long(-seconds)}`;
    if (seconds < 120) return `${seconds} s`;
    return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
  };
  const link = (text, hash) => {
    const a = make('a', text);
    a.href = hash;
    return a;
  };
  const sum = (list, of) => list.reduce((all, one) => all + of(one), 0);

  // Of each row what was billed, what of it was avoidable, and the tokens that were lost.
  const avoidable = ([cause, , , more]) => (causes[cause].avoidable ? more : 0);
  const lost = (row) => row.p.filter(([cause]) => causes[cause].fix);
  const billed = (row) => sum(row.p, (part) => part[2]);
  const saved = (row) => sum(row.p, avoidable);
  // A loss of a few tokens at the end of what was kept is in nearly every request.
  const isMinor = (row) => !saved(row) && sum(lost(row), (part) => part[1]) * 100 < sum(input(row), (part) => part[1]);
  const worst = (row) => lost(row).sort((a, b) => b[3] - a[3] || b[1] - a[1])[0];

  // Swatches and bars have the look that the page gives its causes.
  const looks = causes.map(({ name }) => one(`svg[data-cause="${name}"]`));
  const swatch = (cause) => looks[cause].cloneNode(true);
  const bar = (parts, widest) => {
    const svg = looks.find(Boolean).cloneNode();
    svg.setAttribute('class', 'parts');
    svg.removeAttribute('data-cause');
    let from = 0;
    for (const [cause, tokens] of parts.filter((part) => part[1] > 0)) {
      const rect = one('rect', looks[cause]).cloneNode(true);
      rect.setAttribute('x', `${(from / widest) * 100}%`);
      rect.setAttribute('width', `${(tokens / widest) * 100}%`);
      svg.append(rect);
      from += tokens;
    }
    return svg;
  };
  const input = (row) => row.p.filter(([cause]) => causes[cause].name !== 'output');
  const legend = (words, parts) => {
    const made = make('p', words, 'legend');
    const met = new Set(parts.map(([cause]) => cause));
    for (const cause of [...met].sort((a, b) => a - b)) {
      const item = make('span');
      item.append(swatch(cause), causes[cause].name);
      made.append(item, ' ');
    }
    return made;
  };

  // A table: its columns, `>` for numbers, and rows of cells.
  const table = (className, columns, rows, caption) => {
    const made = make('table', undefined, className);
    const line = make('tr');
    const is_number = (at) => columns[at].startsWith('>');
    columns.forEach((name, at) => {
      const th = make('th', name.replace(/^>/, ''), is_number(at) ? 'n' : undefined);
      th.scope = 'col';
      th.dataset.of = name.replace(/^>/, '');
      line.append(th);
    });
    const head = make('thead');
    head.append(line);
    const body = make('tbody');
    for (const cells of rows) {
      const tr = make('tr');
      cells.forEach((content, at) => {
        const cell = make(at ? 'td' : 'th', undefined, is_number(at) ? 'n' : undefined);
        cell.dataset.of = columns[at].replace(/^>/, '');
        if (!at) cell.scope = 'row';
        if (content instanceof SVGElement) cell.className = 'wide';
        cell.append(...[content].flat());
        tr.append(cell);
      });
      body.append(tr);
    }
    made.append(head, body);
    if (/^(talks|chain)$/.test(className)) sortable(made);
    const scroll = make('div', undefined, 'scroll');
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'group');
    scroll.setAttribute('aria-label', caption);
    scroll.append(made);
    return scroll;
  };
  const facts = (list) => {
    const dl = make('dl', undefined, 'lines');
    for (const [word, ...value] of list) {
      const div = make('div');
      const dd = make('dd');
      dd.append(...value);
      div.append(make('dt', word), dd);
      dl.append(div);
    }
    return dl;
  };
  const coded = (text) => text.split('`').map((part, at) => (at % 2 ? make('code', part) : part));
  // Of a text from outside, what is not seen has its number.
  const verbatim = (text) => text.split('\0').map((part, at) => {
    if (at % 2 === 0) return part;
    const hidden = make('i');
    hidden.dataset.u = part;
    return hidden;
  });

  // The screens. Each is shown alone; the address of the page says which.
  const screen = (id) => {
    const section = make('section');
    section.id = id;
    section.setAttribute('aria-labelledby', `h-${id}`);
    one('main').append(section);
    return section;
  };
  const [overview, list] = [one('#overview'), one('#conversations')];
  const [talk, broke] = [screen('conversation'), screen('break')];
  const screens = [overview, list, talk, broke];
  const heading = (section, text) => {
    const h2 = make('h2', text);
    h2.id = `h-${section.id}`;
    section.replaceChildren(h2);
  };
  const crumbs = one('nav .parts');
  const crumb = () => {
    const li = make('li');
    li.append(make('a'));
    li.hidden = true;
    crumbs.append(li);
    return li;
  };
  const [toTalk, toBreak] = [crumb(), crumb()];
  const name = (li, text, hash) => {
    li.hidden = false;
    one('a', li).textContent = text;
    one('a', li).href = hash;
  };

  // The choice of conversations stays while what is below it changes.
  heading(list, 'Conversations');
  const form = make('form');
  form.id = 'filter';
  const choice = (label, id, options) => {
    const made = make('select');
    made.id = id;
    made.autocomplete = 'off';
    for (const [value, text] of [['*', 'all'], ...options]) {
      const option = make('option', text);
      option.value = value;
      made.append(option);
    }
    const around = make('label', `${label} `);
    around.append(made);
    form.append(around);
    return made;
  };
  const met = new Set(periods.flatMap(({ sums }) => sums.map(([why]) => why)));
  const ofCause = choice('Cause', 'of-cause', [...met].sort((a, b) => a - b).map((why) => [String(why), causes[why].name]));
  const ofTime = choice('Time', 'of-time', periods.map((one, at) => [String(at), one.name]));
  const shown = make('output');
  shown.id = 'shown';
  form.append(shown);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    history.replaceState(null, '', `#conversations/${ofTime.value}/${ofCause.value}`);
    route();
  });
  const results = make('div');
  list.append(form, results);

  // The conversations with tokens of a time and a cause; `*` is any.
  let filter = '#conversations';
  const listed = (period, cause) => {
    filter = period === '*' && cause === '*' ? '#conversations' : `#conversations/${period}/${cause}`;
    const fits = (row) => period === '*' || String(row.d) === period;
    const parts = (row) => (fits(row) ? row.p.filter(([why]) => cause === '*' || String(why) === cause) : []);
    const found = conversations.map(({ rows }, at) => {
      const own = rows.filter((row) => parts(row).length);
      const of = (value) => sum(own, (row) => sum(parts(row), value));
      const dollars = order.map((why) => [why, of((part) => (part[0] === why ? part[2] : 0))]);
      return { at, own, dollars, tokens: of((part) => part[1]), billed: of((part) => part[2]), saved: of(avoidable) };
    }).filter(({ own }) => own.length);
    found.sort((a, b) => b.saved - a.saved || b.billed - a.billed || a.at - b.at);
    const words = [cause === '*' ? '' : ` with ${causes[cause].name} tokens`, period === '*' ? '' : `, ${periods[period].name}`];
    one('h2', list).textContent = `Conversations${words.join('')}`;
    [ofCause.value, ofTime.value] = [cause, period];
    shown.value = `${many(found.length, 'conversation')}, ${money(sum(found, (one) => one.billed))}`;
    results.replaceChildren();
    const widest = Math.max(1, ...found.map((one) => one.billed));
    const rows = found.slice(0, 500).map(({ at, own, dollars, tokens, billed, saved }) => {
      const { name, log } = conversations[at];
      const first = [link(name, `#c${at}`)];
      if (log) first.push(' ', make('small', log));
      const sent = own[0].t === undefined ? '' : time(own[0].t).slice(0, 16);
      return [first, sent, bar(dollars, widest), number(own.length), number(tokens), money(billed), money(saved)];
    });
    results.append(legend('Dollars: ', found.flatMap(({ dollars }) => dollars.filter((part) => part[1]))));
    const columns = ['conversation', 'from', 'by cause', '>requests', '>tokens', '>billed', '>avoidable'];
    results.append(table('talks', columns, rows, 'Conversations'));
    const told = (text) => results.append(make('p', text, 'none'));
    if (found.length > 500) told(`${many(found.length - 500, 'conversation')} more`);
    const total = periods.reduce((before, { sums }, at) => {
      const own = period === '*' || String(at) === period ? sums : [];
      return before + sum(own.filter(([why]) => cause === '*' || String(why) === cause), (one) => one[1]);
    }, 0);
    const rest = total - sum(found, (one) => one.billed);
    if (left) told(`${many(left, 'request')} that cost least have no row on this page: ${money(rest)} of ${money(total)} here`);
  };

  // The requests of a conversation, chain by chain.
  const waterfall = (at) => {
    const { name: title, rows, chains, left, log } = conversations[at];
    name(toTalk, title, `#c${at}`);
    heading(talk, title);
    const words = [many(rows.length, 'request'), money(sum(rows, billed)), `${money(sum(rows, saved))} avoidable`];
    if (log) words.push(log);
    talk.append(make('p', words.join(', '), 'none'));
    talk.append(legend('The input of a request, in tokens: ', rows.flatMap(input)));
    const widest = Math.max(1, ...rows.map((row) => sum(input(row), (part) => part[1])));
    chains.forEach((chain, number_of) => {
      const own = rows.map((row, place) => ({ row, place })).filter(({ row }) => row.l === number_of);
      const h3 = make('h3', `Chain ${chain} `);
      const all = own.map(({ row }) => row);
      h3.append(make('small', `${many(own.length, 'request')}, ${money(sum(all, billed))}, ${money(sum(all, saved))} avoidable`));
      talk.append(h3);
      const isOne = all.every((row) => row.m === all[0].m);
      if (isOne) one('small', h3).textContent += `, ${models[all[0].m]}`;
      const cells = own.map(({ row, place }) => {
        const why = worst(row);
        const told = why ? [make(isMinor(row) ? 'small' : 'b', `${causes[why[0]].name} ${number(why[1])}`)] : [''];
        if (why && row.s !== undefined && /^(changed|rewritten)$/.test(causes[why[0]].name)) told.push(' ', make('small', segments[row.s]));
        return [
          why ? link(`#${row.n}`, `#c${at}.${place}`) : `#${row.n}`,
          row.t === undefined ? '' : time(row.t), row.g === undefined ? '' : long(row.g), ...(isOne ? [] : [models[row.m]]),
          bar(input(row), widest), number(sum(input(row), (part) => part[1])), money(billed(row)), money(saved(row)), told,
        ];
      });
      const columns = ['#', 'sent', '>after', ...(isOne ? [] : ['model']), 'input', '>tokens', '>billed', '>avoidable', 'lost'];
      talk.append(table('chain', columns, cells, `Chain ${chain}`));
    });
    if (left) talk.append(make('p', `${many(left, 'request')} that cost least have no row on this page`, 'none'));
  };

  // What changed in front of a request, what that cost, and what can be done.
  const side = (words, label) => {
    const made = make('div');
    made.append(make('p', label, 'side'));
    const gap = (bytes, place) => bytes && made.append(make('p', `${many(bytes, 'byte')} ${place} are left out`, 'none'));
    gap(words.before, 'in front');
    const text = make('div', undefined, 'text');
    text.append(...verbatim(words.text));
    text.tabIndex = 0;
    text.setAttribute('role', 'group');
    text.setAttribute('aria-label', label);
    made.append(text);
    gap(words.after, 'behind');
    return made;
  };
  const changed = (row, cause) => {
    const li = make('li');
    li.append(make('b', cause.told));
    if (cause.file) li.append(make('p', cause.file, 'code'));
    if (cause.lines.some(Boolean)) {
      const diff = make('div', undefined, 'diff');
      ['del', 'ins'].forEach((tag, at) => cause.lines[at] && diff.append(make(tag, cause.lines[at])));
      li.append(diff);
    }
    if (cause.texts.some(Boolean)) {
      const both = make('div', undefined, 'both');
      const labels = [`before: ${cause.at} of #${row.a}`, `after: ${cause.at} of #${row.n}`];
      cause.texts.forEach((words, at) => words && both.append(side(words, labels[at])));
      li.append(both);
    }
    return li;
  };
  const breaking = (at, place) => {
    const { name: title, rows, chains } = conversations[at];
    const row = rows[place];
    const hash = `#c${at}.${place}`;
    name(toTalk, title, `#c${at}`);
    name(toBreak, `#${row.n}`, hash);
    const why = worst(row);
    const lostTokens = sum(lost(row), (part) => part[1]);
    heading(broke, `#${row.n}: ${why ? causes[why[0]].name : 'nothing lost'}, ${money(saved(row))} avoidable`);
    const known = [['conversation', link(title, `#c${at}`), ` chain ${chains[row.l]}`], ['model', models[row.m]]];
    if (row.t !== undefined) known.push(['sent', time(row.t)]);
    if (row.a !== undefined) known.push(['after', `#${row.a}${row.g === undefined ? '' : `, ${long(row.g)} before`}`]);
    known.push(['lost', `${many(lostTokens, 'token')} of ${number(sum(input(row), (part) => part[1]))}`]);
    if (row.s !== undefined) known.push(['changed', segments[row.s]]);
    const more = breaks[row.b];
    if (more && more.from) known.push(['source', make('code', more.from)]);
    if (more) for (const said of more.said) known.push(['said', said]);
    broke.append(facts(known));
    const widest = Math.max(1, sum(input(row), (part) => part[1]));
    broke.append(bar(input(row), widest));
    broke.append(make('h3', 'What to do'));
    const fixes = make('ul', undefined, 'fixes');
    const advice = new Map((more ? more.causes : []).filter(({ fix }) => fix).map(({ fix }) => fix));
    for (const [words, source] of advice) {
      const li = make('li');
      li.append(...coded(words), ' ', make('small', source));
      fixes.append(li);
    }
    for (const cause of new Set(lost(row).map(([cause]) => cause))) {
      const li = make('li');
      li.append(swatch(cause), make('b', causes[cause].name), ' ', ...coded(causes[cause].fix));
      fixes.append(li);
    }
    broke.append(fixes);
    if (more && more.causes.length) {
      broke.append(make('h3', 'What changed'));
      const ol = make('ol', undefined, 'causes');
      for (const cause of more.causes) ol.append(changed(row, cause));
      broke.append(ol);
      if (more.more) broke.append(make('p', `and ${number(more.more)} more`, 'none'));
    } else {
      let words = 'Nothing is known to have changed in front of it.';
      if (row.a === undefined) words = 'No request before it is known.';
      else if (!more) words = `What changed is left out, as it is for ${many(without, 'request')} in which less was lost.`;
      broke.append(make('p', words, 'none'));
    }
    const cells = row.p.map((part) => [
      [swatch(part[0]), causes[part[0]].name], number(part[1]), money(part[2]),
      causes[part[0]].fix ? money(part[3]) : '', causes[part[0]].avoidable ? money(part[3]) : '', make('small', causes[part[0]].about),
    ]);
    broke.append(make('h3', 'What it cost'));
    broke.append(table('costs', ['cause', '>tokens', '>billed', '>more than if read', '>avoidable', 'which tokens'], cells, 'What it cost'));
    // From break to break of its chain.
    const own = rows.map((other, other_at) => ({ other, other_at })).filter(({ other }) => other.l === row.l && worst(other) && !isMinor(other));
    const go = make('p', undefined, 'go');
    const [front, behind] = [own.filter((one) => one.other_at < place).pop(), own.find((one) => one.other_at > place)];
    for (const [word, to] of [['Previous', front], ['Next', behind]]) {
      if (to) go.append(link(`${word} of the chain: #${to.other.n}`, `#c${at}.${to.other_at}`));
    }
    broke.append(go);
    return more;
  };

  // What the address says is shown; other addresses are places of what is shown.
  let now = '';
  const route = () => {
    const hash = location.hash || '#overview';
    if (hash === now) return;
    const [, period, cause] = /^#conversations\/(\*|\d+)\/(\*|\d+)$/.exec(hash) || [, '*', '*'];
    const [, at, place] = /^#c(\d+)(?:\.(\d+))?$/.exec(hash) || [];
    const isKnown = (list, n) => n === undefined || n === '*' || list[n];
    let shown;
    if (hash === '#overview') shown = overview;
    else if (/^#conversations(\/|$)/.test(hash) && isKnown(periods, period) && isKnown(causes, cause)) {
      shown = list;
      listed(period, cause);
    } else if (at !== undefined && conversations[at] && place === undefined) {
      shown = talk;
      waterfall(at);
    } else if (at !== undefined && conversations[at] && conversations[at].rows[place]) {
      shown = broke;
    } else if (now) return;
    else shown = overview;
    const before = now;
    now = hash;
    for (const section of screens) section.hidden = section !== shown;
    const more = shown === broke && breaking(Number(at), Number(place));
    if (shown === overview || shown === list) toTalk.hidden = true;
    if (shown !== broke) toBreak.hidden = true;
    [...crumbs.children].forEach((li, n) => {
      const a = one('a', li);
      if (screens[n] === shown) a.setAttribute('aria-current', 'page');
      else a.removeAttribute('aria-current');
      if (n === 1) a.href = shown === overview ? '#conversations' : filter;
    });
    if (marks) marks.clear();
    if (more) {
      const lines = more.causes.flatMap(({ texts }) => texts.filter(Boolean).map(({ line }) => line));
      all('.both .text', broke).forEach((text, n) => lines[n] !== undefined && mark(text, lines[n]));
    }
    // The first view leaves the focus where it is, and so does a choice. On the way back it is where it was.
    if (!before || form.contains(document.activeElement)) return;
    const from = one(`tbody th a[href="${before}"]`, shown);
    const to = from || one('h2', shown);
    if (to !== from) {
      to.tabIndex = -1;
      scrollTo(0, 0);
    }
    to.focus({ preventScroll: to !== from });
    if (to === from) to.scrollIntoView({ block: 'center' });
  };

  // The names of the first screen lead on.
  for (const cell of all('[data-period]', overview)) cell.replaceChildren(link(cell.textContent, `#conversations/${cell.dataset.period}/*`));
  for (const word of all('b[data-cause]', overview)) {
    const at = causes.findIndex(({ name }) => name === word.dataset.cause);
    word.replaceChildren(link(word.textContent, `#conversations/*/${at}`));
  }
  // A click anywhere in a row is one on its link; arrows lead from row to row.
  one('main').addEventListener('click', (event) => {
    if (event.target.closest('a') || String(getSelection())) return;
    const row = event.target.closest('tbody tr');
    const to = row && one('th a', row);
    if (to) to.click();
  });
  one('main').addEventListener('keydown', (event) => {
    if (!event.target.matches('tbody th a') || event.ctrlKey || event.altKey || event.metaKey) return;
    const links = all('tbody th a', event.target.closest('section'));
    const at = links.indexOf(event.target);
    const to = { ArrowDown: links[at + 1], ArrowUp: links[at - 1], Home: links[0], End: links[links.length - 1] }[event.key];
    if (!to) return;
    to.focus();
    event.preventDefault();
  });
  addEventListener('hashchange', route);
  route();
})(page);
