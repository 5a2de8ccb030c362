'use strict';
// Shows where places of the text come from, and finds in it. Without it the page shows all the same but this.
const page = (() => {
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
  if (narrow.matches) for (const tree of all('nav details')) tree.open = false;

  const button = (text, act, className) => {
    const made = make('button', text, className);
    made.type = 'button';
    made.addEventListener('click', act);
    return made;
  };

  // The scenes of a page: one is shown at a time.
  const scenes = all('.scene');
  const sceneOf = (element) => element.closest('.scene') || document;
  let scene = '0';
  const choose = (wanted) => {
    scene = wanted;
    for (const part of scenes) part.hidden = part.dataset.scene !== wanted;
  };
  if (scenes.length) {
    const around = make('p', undefined, 'choose');
    const label = make('label', 'Show scenario');
    const select = make('select');
    label.htmlFor = select.id = 'scenario';
    select.autocomplete = 'off';
    for (const row of all('.scenes tbody tr')) {
      const option = make('option', one('a', row).textContent);
      option.value = String(select.length);
      select.append(option);
    }
    around.append(label, select);
    one('header .scene').before(around);
    select.addEventListener('change', () => choose(select.value));
    const linked = () => {
      const target = location.hash && document.getElementById(location.hash.slice(1));
      const own = target && target.closest('.scene');
      if (!own) return;
      choose(own.dataset.scene);
      select.value = scene;
      target.scrollIntoView();
    };
    choose(scene);
    addEventListener('hashchange', linked);
    linked();
  }

  // Copies what a text says, with the characters that are shown as their numbers.
  const plain = (element) => {
    const made = element.cloneNode(true);
    for (const mark of all('.cut', made)) mark.remove();
    for (const hidden of all('[data-u]', made)) {
      hidden.replaceWith(String.fromCodePoint(parseInt(hidden.dataset.u.slice(2), 16)));
    }
    return made.textContent;
  };
  const copier = (what, text, label = 'Copy') => {
    const made = button(label, async () => {
      try {
        await navigator.clipboard.writeText(text());
        made.textContent = 'Copied';
      } catch {
        made.textContent = 'Not allowed here';
      }
      setTimeout(() => { made.textContent = label; }, 2000);
    }, 'copy');
    made.setAttribute('aria-label', `Copy ${what}`);
    made.setAttribute('aria-live', 'polite');
    return made;
  };
  for (const command of all('.command')) command.append(copier('the command', () => plain(one('code', command))));
  // As a patch, which `git apply` takes.
  for (const edit of all('.edit')) {
    const row = make('p', undefined, 'command');
    row.append(copier('edit as a patch', () => [...edit.children].map((line) => `${plain(line)}\n`).join(''), 'Copy edit'));
    edit.after(row);
  }
  for (const article of all('article[data-start]')) {
    const text = one('.text', article);
    const name = one('.name', article);
    article.prepend(copier(`the text of ${name.textContent}`, () => plain(text)));
  }

  // Tables whose rows can be put in another order by any column.
  const sortable = (table) => {
    const body = one('tbody', table);
    const original = [...body.rows];
    if (original.length < 2) return;
    const heads = [...table.tHead.rows[0].cells];
    const value = (row, at) => {
      const cell = row.cells[at];
      const bar = one('svg.bar rect', cell);
      if (bar) return Number(bar.getAttribute('width'));
      const text = cell.textContent.trim();
      return heads[at].classList.contains('n') ? Number(text.replace(/[^\d.-]/g, '')) || 0 : text;
    };
    heads.forEach((head, at) => {
      if (!head.matches('th') || one('svg.parts', original[0].cells[at])) return;
      const name = head.textContent;
      const isNumber = head.classList.contains('n') || head.classList.contains('wide');
      head.replaceChildren(button(name, () => {
        const now = head.getAttribute('aria-sort');
        // Numbers begin with the largest, names with the first; the third time the order is as it was.
        const order = isNumber ? ['descending', 'ascending'] : ['ascending', 'descending'];
        const next = order[order.indexOf(now) + 1];
        for (const other of heads) other.removeAttribute('aria-sort');
        let rows = original;
        if (next) {
          head.setAttribute('aria-sort', next);
          const sign = next === 'ascending' ? 1 : -1;
          const keyed = original.map((row) => [value(row, at), row]);
          const compare = isNumber ? (a, b) => a - b : (a, b) => a.localeCompare(b);
          keyed.sort(([a], [b]) => sign * compare(a, b));
          rows = keyed.map(([, row]) => row);
        }
        body.append(...rows);
      }));
    });
  };
  all('table.sort').forEach(sortable);

  // The prompt by tokens: a part that is chosen becomes as wide as the page.
  const icicle = (picture) => {
    const section = picture.parentElement;
    const rows = all('.parts-of tbody tr', section);
    const cells = [...picture.children];
    const parts = cells.map((cell, at) => {
      const [from, width] = ['x', 'width'].map((name) => parseFloat(cell.getAttribute(name)));
      const [name, kind, within, , tokens, share] = [...rows[at].cells].map((one) => one.textContent);
      return { from, to: from + width, level: Number(cell.getAttribute('y')), name, kind, within, tokens, share, row: rows[at] };
    });
    const chosen = one('.chosen', section);
    let [at, zoomed] = [0, 0];
    const about = ({ name, kind, tokens, share }) => `${kind} ${name}, ${tokens} tokens, ${share}`;
    const inside = (outer, inner) => inner.from >= outer.from - 1e-4 && inner.to <= outer.to + 1e-4;
    const draw = () => {
      const root = parts[zoomed];
      const width = root.to - root.from;
      const whole = picture.getBoundingClientRect().width;
      cells.forEach((cell, n) => {
        const part = parts[n];
        const isAround = part.level <= root.level && inside(part, root);
        const isSeen = isAround || (part.level > root.level && inside(root, part));
        cell.toggleAttribute('hidden', !isSeen);
        if (!isSeen) return;
        const x = isAround ? 0 : ((part.from - root.from) / width) * 100;
        const wide = isAround ? 100 : ((part.to - part.from) / width) * 100;
        cell.setAttribute('x', `${x}%`);
        cell.setAttribute('width', `${wide}%`);
        let text = one('text', cell);
        const fits = Math.floor(((wide / 100) * whole - 12) / 6.6);
        if (!text && fits > 4) {
          text = one('text', picture).cloneNode();
          cell.append(text);
        }
        if (text) text.textContent = part.name.length <= fits || fits > 4 ? part.name : '';
        cell.setAttribute('aria-selected', String(n === zoomed));
      });
    };
    const focus = (to) => {
      cells[at].tabIndex = -1;
      at = to;
      cells[at].tabIndex = 0;
      cells[at].focus();
    };
    const zoom = (to) => {
      zoomed = to;
      draw();
      const part = parts[to];
      const told = [make('span', about(part))];
      if (part.within) told.push(make('small', part.within));
      const link = one('a', part.row);
      if (link) {
        const made = make('a', 'Show its text');
        made.href = link.getAttribute('href');
        told.push(made);
      }
      if (to) told.push(button('Whole prompt', () => { focus(0); zoom(0); }));
      chosen.replaceChildren(...told);
    };
    const seen = (test) => cells.findIndex((cell, n) => !cell.hasAttribute('hidden') && test(parts[n], n));
    const parent = (n) => cells.findLastIndex((_, other) => other < n && parts[other].level < parts[n].level && inside(parts[other], parts[n]));
    picture.setAttribute('role', 'tree');
    picture.setAttribute('aria-orientation', 'horizontal');
    cells.forEach((cell, n) => {
      cell.setAttribute('role', 'treeitem');
      cell.setAttribute('aria-level', String(parts[n].level / 28 + 1));
      cell.setAttribute('aria-label', about(parts[n]));
      cell.tabIndex = n === 0 ? 0 : -1;
    });
    const place = (target) => cells.indexOf(target.closest('[role="treeitem"]'));
    picture.addEventListener('click', (event) => {
      const to = place(event.target);
      if (to < 0) return;
      focus(to);
      zoom(to === zoomed ? Math.max(0, parent(to)) : to);
    });
    picture.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const own = parts[at];
      const beside = (sign) => {
        const same = cells.map((_, n) => n).filter((n) => parts[n].level === own.level && !cells[n].hasAttribute('hidden'));
        return same[same.indexOf(at) + sign];
      };
      const to = {
        ArrowRight: () => beside(1), ArrowLeft: () => beside(-1), ArrowUp: () => parent(at), Home: () => 0,
        ArrowDown: () => seen((part) => part.level > own.level && inside(own, part)),
        End: () => cells.findLastIndex((cell) => !cell.hasAttribute('hidden')),
      }[event.key];
      if (to) {
        const next = to();
        if (next !== undefined && next >= 0) focus(next);
      } else if (event.key === 'Enter' || event.key === ' ') zoom(at);
      else if (event.key === 'Escape' && zoomed) {
        const outer = Math.max(0, parent(zoomed));
        focus(outer);
        zoom(outer);
      } else return;
      event.preventDefault();
    });
    one('.hint', section).hidden = chosen.hidden = false;
    zoom(0);
    new ResizeObserver(draw).observe(picture);
  };
  all('.icicle').forEach(icicle);

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
        const before = all('article[data-start]', sceneOf(article)).filter((a) => a.dataset.channel === article.dataset.channel);
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
      const every = all('.text [data-p]', sceneOf(piece));
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
      const article = /^#(s\d+-)?layer-\d+$/.test(location.hash) && one(location.hash);
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
          row.hidden = !(own && fits(state.value, row.className) && fits(cause.value, row.dataset.kinds));
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
        if (!whole.matches('div')) continue;
        const side = make('div');
        link.replaceWith(side);
        side.append(link, ...[...whole.children].map((child) => child.cloneNode(true)));
        const text = one('.text', side);
        text.tabIndex = 0;
        text.setAttribute('role', 'group');
        text.setAttribute('aria-label', link.textContent);
        if (whole.dataset.line) mark(text, Number(whole.dataset.line));
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

  // Search. Matches are ranges of the text; nothing of the page is changed for them.
  const search = (form) => {
    const around = sceneOf(form);
    form.hidden = false;
    const [field, found, previous] = [one('input', form), one('output', form), one('[type="button"]', form)];
    const MOST = 10000;
    let texts = null;
    let matches = [];
    let current = -1;

    const read = () => {
      // No match goes from one cell of a table into the next.
      texts = all('.text, .search ~ section tbody :is(th, td)', around).map((element) => {
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
      if (!field.value) found.value = '';
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
      const wanted = field.value;
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
    field.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(now, 120);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (waiting) now();
      else go(current + 1);
    });
    previous.addEventListener('click', () => go(current - 1));
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.shiftKey) {
        event.preventDefault();
        go(current - 1);
      }
    });
  };
  all('.search').forEach(search);

  return { one, all, make, number, mark, marks, sortable };
})();
