'use strict';
// Shows where places of the text come from, and finds in it. Without it the page shows all the same but this.
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.documentElement;
  root.classList.add('js');
  const narrow = matchMedia('(max-width: 60rem)');

  // A part of the page that is made here: only texts and copies of what the page has get into it.
  const make = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

  // What is printed is open.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    for (const details of closed) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of closed) details.open = false;
    closed = [];
  });
  const tree = one('nav details');
  if (tree && narrow.matches) tree.open = false;

  // The sources of the text, in the panel beside it. Returns what shows one.
  const sources = (told) => {
    const panel = one('#h-source');
    const kinds = {
      d: 'document', f: 'fact', t: 'template', j: 'join', w: 'text of the manifest', x: 'derived',
    };
    let shown = [];
    let chosen = null;

    const place = (piece) => {
      const [ingredient, line, start] = piece.dataset.p.split(':');
      return { ingredient, line: line && Number(line), start: Number(start) };
    };
    const pieces = (article) => all('.text [data-p]', article);
    const item = (article, ingredient) =>
      ingredient === '' ? null : one(`.made li[data-i="${ingredient}"]`, article);
    const named = (article) => one('.name', article).textContent;
    const kin = (article, ingredient) => {
      const own = pieces(article).filter((piece) => place(piece).ingredient === ingredient);
      // A span that is drawn in blocks has several pieces.
      return own.filter((piece, at) => at === 0 || own[at - 1].dataset.p !== piece.dataset.p);
    };

    const mark = (on, beside) => {
      for (const piece of shown) piece.classList.remove('on', 'kin');
      for (const piece of beside) piece.classList.add('kin');
      for (const piece of on) piece.classList.add('on');
      shown = [...on, ...beside];
    };
    const tell = (parts) => {
      told.replaceChildren(...parts);
      one('#source').scrollTop = 0;
      document.body.classList.add('open');
    };
    const row = (list, word, value) => {
      const div = make('div');
      const dd = make('dd');
      dd.append(value);
      div.append(make('dt', word), dd);
      list.append(div);
    };
    const link = (article) => {
      const a = make('a', named(article));
      a.href = '#' + article.id;
      return a;
    };
    const button = (text, act) => {
      const made = make('button', text);
      made.type = 'button';
      made.addEventListener('click', act);
      return made;
    };
    const copy = (li) => {
      const made = li.cloneNode(true);
      for (const old of all('button', made)) old.remove();
      return made;
    };

    // Where a piece comes from: the source with its line, if it has one.
    const source = (article, piece) => {
      const { ingredient, line } = place(piece);
      const li = item(article, ingredient);
      if (!li) {
        if (!piece.classList.contains('j')) return 'made by a template';
        if (!piece.classList.contains('lead')) return `between two texts of ${named(article)}`;
        const before = all('article[data-start]').filter((a) => a.dataset.channel === article.dataset.channel);
        const front = before[before.indexOf(article) - 1];
        return front ? `between ${named(front)} and ${named(article)}` : `in front of ${named(article)}`;
      }
      const file = li.dataset.source;
      if (file === undefined) return one('span', li).textContent;
      return line ? `${file}:${line}` : file;
    };

    // Line ends of the span in front of a point of the page, where a line of the prompt is one of the source.
    const further = (article, piece, point) => {
      const { ingredient, line } = place(piece);
      const li = item(article, ingredient);
      if (!point || !line || !li || li.dataset.flows === undefined || !piece.contains(point.node)) return null;
      const range = document.createRange();
      const first = pieces(article).find((other) => other.dataset.p === piece.dataset.p);
      range.setStartBefore(first);
      range.setEnd(point.node, point.offset);
      return line + range.toString().split('\n').length - 1;
    };

    const show = (piece, point) => {
      const article = piece.closest('article');
      const own = pieces(article);
      const same = own.filter((other) => other.dataset.p === piece.dataset.p);
      const { ingredient, start } = place(piece);
      const beside = ingredient === '' ? [] : kin(article, ingredient);
      mark(same, beside.slice(0, 2000).filter((other) => other.dataset.p !== piece.dataset.p));
      chosen = piece;
      const next = own[own.lastIndexOf(same[same.length - 1]) + 1];
      const end = next ? place(next).start : Number(article.dataset.end);
      const parts = [make('p', kinds[piece.classList[0]], 'what'), make('h3', source(article, piece))];
      const list = make('dl');
      const line = further(article, piece, point);
      if (line) row(list, 'Here', `line ${number(line)}`);
      row(list, 'Layer', link(article));
      row(list, 'Tier', article.dataset.tier);
      const chip = one('.chip', article);
      if (chip) row(list, 'Changes', chip.cloneNode(true));
      const channel = article.dataset.channel === 'system' ? '' : ` of the ${article.dataset.channel} text`;
      row(list, 'Bytes', `${number(start)} to ${number(end)}${channel} (${number(end - start)})`);
      parts.push(list);
      const li = item(article, ingredient);
      // Of all others the source says it already.
      if (li && one('b', li).textContent === 'document') {
        const ul = make('ul');
        ul.append(copy(li));
        parts.push(ul);
      }
      const at = beside.findIndex((other) => other.dataset.p === piece.dataset.p);
      if (beside.length > 1) {
        const go = make('div', undefined, 'go');
        const to = (step) => reach(beside[(at + step + beside.length) % beside.length]);
        go.append(`place ${number(at + 1)} of ${number(beside.length)} from there`);
        go.append(button('Previous place', () => to(-1)), button('Next place', () => to(1)));
        parts.push(go);
      }
      tell(parts);
    };

    const reach = (piece) => {
      if (!piece.hasAttribute('tabindex')) piece.tabIndex = -1;
      piece.focus({ preventScroll: true });
      piece.scrollIntoView({ block: 'center' });
      show(piece);
    };

    const layer = (article) => {
      mark([], []);
      chosen = one('.name', article);
      const parts = [make('p', 'layer', 'what'), make('h3', named(article))];
      const meta = one('.meta', article).cloneNode(true);
      parts.push(meta);
      const list = make('dl');
      row(list, 'Tier', article.dataset.tier);
      if (article.dataset.start) {
        const [start, end] = [article.dataset.start, article.dataset.end].map(Number);
        row(list, 'Bytes', `${number(start)} to ${number(end)} (${number(end - start)})`);
      }
      parts.push(list);
      const made = all('.made li', article);
      if (made.length) {
        const ul = make('ul');
        for (const li of made.slice(0, 200)) {
          const entry = copy(li);
          if (Number(li.dataset.n)) {
            entry.append(button('Show', () => reach(kin(article, li.dataset.i)[0])));
          }
          ul.append(entry);
        }
        parts.push(ul);
        if (made.length > 200) parts.push(make('p', `${number(made.length - 200)} more stand at the layer`, 'none'));
      }
      tell(parts);
    };

    // The point of the text under the pointer.
    const under = (event) => {
      if (document.caretPositionFromPoint) {
        const at = document.caretPositionFromPoint(event.clientX, event.clientY);
        return at && { node: at.offsetNode, offset: at.offset };
      }
      const range = document.caretRangeFromPoint && document.caretRangeFromPoint(event.clientX, event.clientY);
      return range && { node: range.startContainer, offset: range.startOffset };
    };

    const main = one('main');
    main.addEventListener('click', (event) => {
      const piece = event.target.closest('.text [data-p]');
      if (piece) show(piece, under(event));
      else if (event.target.closest('.name')) layer(event.target.closest('article'));
    });
    main.addEventListener('focusin', (event) => {
      if (event.target.matches('.text [data-p]:focus-visible')) show(event.target);
    });
    main.addEventListener('keydown', (event) => {
      const piece = event.target.closest('.text [data-p]');
      if (!piece || event.ctrlKey || event.altKey || event.metaKey) return;
      const every = all('.text [data-p]');
      const own = pieces(piece.closest('article'));
      const at = every.indexOf(piece);
      const to = {
        ArrowRight: every[at + 1], ArrowDown: every[at + 1], ArrowLeft: every[at - 1], ArrowUp: every[at - 1],
        Home: own[0], End: own[own.length - 1],
      }[event.key];
      if (to) reach(to);
      else if (event.key === 'Enter') panel.focus();
      else return;
      event.preventDefault();
    });
    const close = () => {
      document.body.classList.remove('open');
      if (!chosen) return;
      if (!chosen.matches('[tabindex], button, a')) chosen.tabIndex = -1;
      chosen.focus();
    };
    one('#close').addEventListener('click', close);
    one('#source').addEventListener('keydown', (event) => {
      if (event.key === 'Escape') close();
    });
    const linked = () => {
      const article = /^#layer-\d+$/.test(location.hash) && one(location.hash);
      if (article) layer(article);
    };
    addEventListener('hashchange', linked);
    linked();
    return show;
  };
  const told = one('#told');
  const show = told && sources(told);

  // Marks a line of a text, and scrolls to it.
  const marks = CSS.highlights && new Highlight();
  if (marks) CSS.highlights.set('find', marks);
  const mark = (text, line) => {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    range.selectNodeContents(text);
    let left = line;
    while (walker.nextNode()) {
      const { data } = walker.currentNode;
      for (let at = data.indexOf('\n'); at >= 0; at = data.indexOf('\n', at + 1)) {
        left -= 1;
        if (left === 0) range.setStart(walker.currentNode, at + 1);
        if (left < 0) {
          range.setEnd(walker.currentNode, at);
          break;
        }
      }
      if (left < 0) break;
    }
    if (marks) marks.add(range);
    text.scrollTop += range.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  };

  // The requests of a log: which are shown, and both texts of a cause in a row that is opened.
  const requests = (list) => {
    const groups = all('.conversation', list).map((group) => ({ group, rows: all('.request', group) }));
    const rows = groups.flatMap((group) => group.rows);
    const [conversation, state, cause] = ['conversation', 'state', 'cause'].map((of) => one(`#of-${of}`));
    const fits = (chosen, words) => chosen === '*' || (words || '').split(' ').includes(chosen);
    const filter = () => {
      let shown = 0;
      for (const { group, rows } of groups) {
        const own = fits(conversation.value, group.dataset.c);
        const before = shown;
        for (const row of rows) {
          row.hidden = !(own && fits(state.value, row.dataset.state) && fits(cause.value, row.dataset.kinds));
          if (!row.hidden) shown += 1;
        }
        group.hidden = shown === before;
      }
      one('#shown').value = `${number(shown)} of ${number(rows.length)} requests`;
    };
    const form = one('#filter');
    form.hidden = false;
    form.addEventListener('change', filter);
    form.addEventListener('submit', (event) => event.preventDefault());
    filter();

    // The texts stand at the end of the page, each once; a row gets copies when it is opened.
    const fill = (row) => {
      for (const link of all('.both a', row)) {
        const whole = one(link.getAttribute('href'));
        const side = make('div');
        link.replaceWith(side);
        side.append(link, ...[...whole.children].map((child) => child.cloneNode(true)));
        const text = one('.text', side);
        text.tabIndex = 0;
        text.setAttribute('role', 'group');
        text.setAttribute('aria-label', link.textContent);
        if (link.dataset.line) mark(text, Number(link.dataset.line));
      }
      row.dataset.filled = '';
    };
    list.addEventListener('toggle', ({ target }) => {
      // What opens for paper has its texts at the end.
      if (target.open && !closed.length && target.matches('.request:not([data-filled])')) fill(target);
    }, true);
    list.addEventListener('keydown', (event) => {
      if (!event.target.matches('.request > summary') || event.ctrlKey || event.altKey || event.metaKey) return;
      const seen = rows.filter((row) => !row.hidden);
      const at = seen.indexOf(event.target.parentElement);
      const to = { ArrowDown: seen[at + 1], ArrowUp: seen[at - 1], Home: seen[0], End: seen[seen.length - 1] }[event.key];
      if (!to) return;
      one('summary', to).focus();
      event.preventDefault();
    });
    const linked = () => {
      const row = /^#r\d+$/.test(location.hash) && one(location.hash);
      if (!row) return;
      row.hidden = row.parentElement.hidden = false;
      row.open = true;
      row.scrollIntoView();
      one('summary', row).focus();
    };
    addEventListener('hashchange', linked);
    linked();
  };
  const list = one('#waterfall');
  if (list) requests(list);

  // What was billed: conversations, the requests of one, and a break. They are made of the data of the page, as texts.
  const usage = ({ causes, order, periods, models, segments, conversations, breaks, left, without }) => {
    const SVG = 'http://www.w3.org/2000/svg';
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
    const lost = (row) => row.p.filter(([cause]) => causes[cause].lost);
    const billed = (row) => sum(row.p, (part) => part[2]);
    const saved = (row) => sum(row.p, avoidable);
    // A loss of a few tokens at the end of what was kept is in nearly every request.
    const isMinor = (row) => !saved(row) && sum(lost(row), (part) => part[1]) * 100 < sum(input(row), (part) => part[1]);
    const worst = (row) => lost(row).sort((a, b) => b[3] - a[3] || b[1] - a[1])[0];

    // Swatches and bars have the look that the page gives its causes.
    const looks = causes.map(({ name }) => one(`svg[data-cause="${name}"]`));
    const swatch = (cause) => looks[cause].cloneNode(true);
    const bar = (parts, widest) => {
      const svg = document.createElementNS(SVG, 'svg');
      svg.setAttribute('class', 'parts');
      svg.setAttribute('aria-hidden', 'true');
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
      heading(list, `Conversations${words.join('')}`);
      const form = make('form');
      form.id = 'filter';
      const choice = (label, options, chosen) => {
        const made = make('select');
        made.autocomplete = 'off';
        for (const [value, text] of [['*', 'all'], ...options]) {
          const option = make('option', text);
          option.value = value;
          option.selected = value === chosen;
          made.append(option);
        }
        const around = make('label', `${label} `);
        around.append(made);
        form.append(around);
        return made;
      };
      const met = new Set(periods.flatMap(({ sums }) => sums.map(([why]) => why)));
      const ofCause = choice('Cause', [...met].sort((a, b) => a - b).map((why) => [String(why), causes[why].name]), cause);
      const ofTime = choice('Time', periods.map((one, at) => [String(at), one.name]), period);
      ofCause.id = 'of-cause';
      ofTime.id = 'of-time';
      form.addEventListener('submit', (event) => event.preventDefault());
      form.addEventListener('change', ({ target }) => {
        location.hash = `#conversations/${ofTime.value}/${ofCause.value}`;
        route();
        one(`#${target.id}`).focus();
      });
      const shown = make('output', `${many(found.length, 'conversation')}, ${money(sum(found, (one) => one.billed))}`);
      shown.id = 'shown';
      form.append(shown);
      list.append(form);
      const widest = Math.max(1, ...found.map((one) => one.billed));
      const rows = found.slice(0, 500).map(({ at, own, dollars, tokens, billed, saved }) => {
        const { name, log } = conversations[at];
        const first = [link(name, `#c${at}`)];
        if (log) first.push(' ', make('small', log));
        const sent = own[0].t === undefined ? '' : time(own[0].t).slice(0, 16);
        return [first, sent, bar(dollars, widest), number(own.length), number(tokens), money(billed), money(saved)];
      });
      list.append(legend('Dollars: ', found.flatMap(({ dollars }) => dollars.filter((part) => part[1]))));
      const columns = ['conversation', 'from', 'by cause', '>requests', '>tokens', '>billed', '>avoidable'];
      list.append(table('talks', columns, rows, 'Conversations'));
      const told = (text) => list.append(make('p', text, 'none'));
      if (found.length > 500) told(`${many(found.length - 500, 'conversation')} more`);
      const total = periods.reduce((before, { sums }, at) => {
        const own = period === '*' || String(at) === period ? sums : [];
        return before + sum(own.filter(([why]) => cause === '*' || String(why) === cause), (one) => one[1]);
      }, 0);
      const rest = total - sum(found, (one) => one.billed);
      if (left) told(`${many(left, 'request')} that cost least have no row on this page: ${money(rest)} of ${money(total)} here`);
    };

    // The requests of a conversation, lane by lane.
    const waterfall = (at) => {
      const { name: title, rows, lanes, left, log } = conversations[at];
      name(toTalk, title, `#c${at}`);
      heading(talk, title);
      const words = [many(rows.length, 'request'), money(sum(rows, billed)), `${money(sum(rows, saved))} avoidable`];
      if (log) words.push(log);
      talk.append(make('p', words.join(', '), 'none'));
      talk.append(legend('The input of a request, in tokens: ', rows.flatMap(input)));
      const widest = Math.max(1, ...rows.map((row) => sum(input(row), (part) => part[1])));
      lanes.forEach((lane, number_of) => {
        const own = rows.map((row, place) => ({ row, place })).filter(({ row }) => row.l === number_of);
        const h3 = make('h3', `Lane ${lane} `);
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
        talk.append(table('lane', columns, cells, `Lane ${lane}`));
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
        [['del', '- '], ['ins', '+ ']].forEach(([tag, sign], at) => {
          const line = cause.lines[at];
          if (!line) return;
          const made = make(tag, sign + (line.before ? '…' : ''));
          made.append(...verbatim(line.text), line.after ? '…' : '');
          diff.append(made);
        });
        li.append(diff);
      }
      if (cause.fix) {
        const p = make('p', `${cause.fix[0]} `, 'fix');
        p.append(make('small', cause.fix[1]));
        li.append(p);
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
      const { name: title, rows, lanes } = conversations[at];
      const row = rows[place];
      const hash = `#c${at}.${place}`;
      name(toTalk, title, `#c${at}`);
      name(toBreak, `#${row.n}`, hash);
      const why = worst(row);
      const lostTokens = sum(lost(row), (part) => part[1]);
      heading(broke, `#${row.n}: ${why ? causes[why[0]].name : 'nothing lost'}, ${money(saved(row))} avoidable`);
      const known = [['conversation', link(title, `#c${at}`), ` lane ${lanes[row.l]}`], ['model', models[row.m]]];
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
      for (const cause of new Set(lost(row).map(([cause]) => cause))) {
        const li = make('li');
        li.append(swatch(cause), make('b', causes[cause].name), ' ', ...causes[cause].fix.split('`').map((part, at) => (at % 2 ? make('code', part) : part)));
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
        causes[part[0]].lost ? money(part[3]) : '', causes[part[0]].avoidable ? money(part[3]) : '', make('small', causes[part[0]].about),
      ]);
      broke.append(make('h3', 'What it cost'));
      broke.append(table('costs', ['cause', '>tokens', '>billed', '>more than if read', '>avoidable', ''], cells, 'What it cost'));
      // From break to break of its lane.
      const own = rows.map((other, other_at) => ({ other, other_at })).filter(({ other }) => other.l === row.l && worst(other) && !isMinor(other));
      const go = make('p', undefined, 'go');
      const [front, behind] = [own.filter((one) => one.other_at < place).pop(), own.find((one) => one.other_at > place)];
      for (const [word, to] of [['Previous', front], ['Next', behind]]) {
        if (to) go.append(link(`${word} of the lane: #${to.other.n}`, `#c${at}.${to.other_at}`));
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
      // The first view leaves the focus where it is. On the way back it is where it was.
      if (!before) return;
      const from = one(`main a[href="${before}"]`, shown);
      const to = from && shown.contains(from) ? from : one('h2', shown);
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
  };
  const data = one('#data');
  if (data) usage(JSON.parse(data.textContent));

  // Search. Matches are ranges of the text; nothing of the page is changed for them.
  const form = one('#search');
  if (!form) return;
  form.hidden = false;
  const found = one('#found');
  const MOST = 10000;
  let texts = null;
  let matches = [];
  let current = -1;

  const read = () => {
    // No match goes from one cell of a table into the next.
    texts = all('.text, #search ~ section tbody :is(th, td)').map((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const nodes = [];
      const starts = [];
      let text = '';
      while (walker.nextNode()) {
        nodes.push(walker.currentNode);
        starts.push(text.length);
        text += walker.currentNode.data;
      }
      return { nodes, starts, text };
    });
  };
  // The last node that starts at or before a place.
  const at = ({ starts }, offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const range = ({ text, start, end }) => {
    const made = document.createRange();
    const [first, last] = [at(text, start), at(text, end - 1)];
    made.setStart(text.nodes[first], start - text.starts[first]);
    made.setEnd(text.nodes[last], end - text.starts[last]);
    return made;
  };
  const highlight = (name, ranges) => {
    if (!CSS.highlights) return;
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  };
  const count = () => {
    if (!one('#find').value) found.value = '';
    else if (!matches.length) found.value = 'nothing found';
    else found.value = `${number(current + 1)} of ${number(matches.length)}${matches.length === MOST ? ' or more' : ''}`;
  };
  const go = (to) => {
    if (!matches.length) return;
    current = (to + matches.length) % matches.length;
    const here = range(matches[current]);
    highlight('here', [here]);
    const piece = show && here.startContainer.parentElement.closest('[data-p]');
    if (piece) show(piece, { node: here.startContainer, offset: here.startOffset });
    const scroll = () => {
      const box = here.getBoundingClientRect();
      scrollBy({ top: box.top - innerHeight / 3 });
    };
    (piece || here.startContainer.parentElement).scrollIntoView({ block: 'nearest' });
    scroll();
    // What was not laid out yet has its size only now.
    requestAnimationFrame(scroll);
    if (!CSS.highlights) getSelection().setBaseAndExtent(here.startContainer, here.startOffset, here.endContainer, here.endOffset);
    count();
  };
  const find = () => {
    if (!texts) read();
    const wanted = one('#find').value;
    matches = [];
    current = -1;
    highlight('here', []);
    if (wanted) {
      const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\\/]/g, '\\$&'), 'giu');
      for (const text of texts) {
        for (const match of text.text.matchAll(pattern)) {
          if (matches.length === MOST) break;
          matches.push({ text, start: match.index, end: match.index + match[0].length });
        }
      }
    }
    highlight('find', matches.slice(0, 2000).map(range));
    go(0);
    count();
  };
  let waiting = 0;
  const now = () => {
    clearTimeout(waiting);
    waiting = 0;
    find();
  };
  one('#find').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(now, 120);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (waiting) now();
    else go(current + 1);
  });
  one('#previous').addEventListener('click', () => go(current - 1));
  one('#find').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault();
      go(current - 1);
    }
  });
})();
