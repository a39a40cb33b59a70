package run

import (
	"context"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/host/live"
)

// page shows a board to browsers while it changes; a nil one shows nothing.
type page struct {
	server *live.Server
	title  string

	mu      sync.Mutex // of all below, and of what the board knows
	zero    time.Time  // what seconds count from
	board   *board
	curves  map[string]map[string]*means // of the values that peers have emitted, by name and class
	in, out live.Curve                   // KiB a second, of all peers
	counted traffic
	events  live.Events
	at      map[string]string // where peers have pages of their own
	lost    map[string]string // why a peer cannot be heard, as another one says
}

// traffic is how many bytes there were in all at some time.
type traffic struct {
	seconds float64
	in, out int64
}

// openPage serves the page of a board.
func openPage(address, title string, b *board) (*page, error) {
	p := &page{title: title, zero: time.Unix(0, 0).UTC(), board: b, curves: map[string]map[string]*means{}, at: map[string]string{}, lost: map[string]string{}}
	var err error
	if p.server, err = live.Open(address, p.show); err != nil {
		return nil, fmt.Errorf("--http: %w", err)
	}
	return p, nil
}

// change has the board change while no browser looks.
func (p *page) change(do func()) {
	if p == nil {
		do()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	p.count()
}

// begin says what seconds count from; in virtual time that is midnight.
func (p *page) begin(zero time.Time) {
	if p != nil {
		p.change(func() { p.zero = zero })
	}
}

// count notes the bytes since it did so last, once a second.
func (p *page) count() {
	now := traffic{seconds: p.board.seconds}
	for i := range p.board.rows {
		now.in += p.board.rows[i].in
		now.out += p.board.rows[i].out
	}
	d := now.seconds - p.counted.seconds
	if d < 1 {
		return
	}
	if now.out > 0 {
		p.in.Add(now.seconds, float64(now.in-p.counted.in)/d/1024)
		p.out.Add(now.seconds, float64(now.out-p.counted.out)/d/1024)
	}
	p.counted = now
}

// take takes note of an event, which the board has taken.
func (p *page) take(e event) {
	if p == nil {
		return
	}
	if e.Status != nil && e.Pages != "" {
		p.at[e.Peer] = e.Pages
	}
	switch e.Kind {
	case "emitted":
		p.emitted(e)
		return
	case "status", "finished", "published", "late":
		return
	case "peer up", "peer down":
		_, known := p.lost[e.From]
		if delete(p.lost, e.From); e.Kind == "peer down" {
			p.lost[e.From] = e.Error
		}
		if known == (e.Kind == "peer down") {
			return // another one has said so, or nobody had missed it
		}
	case "exited", "ended", "killed":
		delete(p.at, e.Peer)
	}
	p.events.Add(p.zero.Add(time.Duration(e.seconds*1e9)), e.wrong(), e.text())
}

// wrong reports whether somebody should look at what has happened.
func (e event) wrong() bool {
	switch e.Kind {
	case "killed", "peer down", "missing", "refused", "failed", "waiting", "overflow", "short", "peer suspect":
		return true
	}
	return e.Error != ""
}

// text says what has happened.
func (e event) text() string {
	s := e.Peer + ": " + e.Kind
	if e.From != "" {
		s += " " + e.From
	}
	if e.Name != "" {
		s += ", " + e.Name
	}
	if e.Error != "" {
		s += ": " + e.Error
	}
	return s
}

// emitted notes a value of one of a class.
func (p *page) emitted(e event) {
	i, ok := p.board.byName[e.Peer]
	x, isNumber := scalar(e.Value)
	if !ok || !isNumber {
		return
	}
	r := &p.board.rows[i]
	name := r.valueName(e.Name)
	if p.curves[name] == nil {
		p.curves[name] = map[string]*means{}
	}
	m := p.curves[name][r.class]
	if m == nil {
		m = &means{}
		p.curves[name][r.class] = m
	}
	m.add(r.round, x)
}

// means is the means of what the peers of a class have emitted in each round.
type means struct {
	live.Curve
	round uint64
	sum   float64
	n     int
}

func (m *means) add(round uint64, x float64) {
	if round > m.round && m.n > 0 {
		m.Add(float64(m.round), m.sum/float64(m.n))
		m.sum, m.n = 0, 0
	}
	m.round = max(m.round, round)
	m.sum += x
	m.n++
}

// curve is the means up to the round under way.
func (m *means) curve() *live.Curve {
	c := m.Clone()
	c.Add(float64(m.round), m.sum/float64(m.n))
	return c
}

// close ends the page: who watches is shown the end.
func (p *page) close() {
	if p != nil {
		summary, _, _ := strings.Cut(p.board.summary(), "\n")
		p.server.Close("%s", summary)
	}
}

// show makes the page.
func (p *page) show(context.Context) (*live.Page, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &live.Page{Title: p.title, Of: "bbgen run", Parts: []live.Part{
		{ID: "cards", HTML: p.cards()}, {ID: "alerts", HTML: p.alerts()}, {ID: "charts", HTML: p.charts()},
		{ID: "peers", HTML: p.peersTable()}, {ID: "events", HTML: p.events.HTML()},
	}}, ""
}

// cards are what matters most.
func (p *page) cards() string {
	b := p.board
	list := []live.Card{
		{Value: b.states(), Name: fmt.Sprintf("of %d peers", len(b.rows))},
		{Value: fmt.Sprint(b.round), Name: "round"},
		{Value: fmt.Sprintf("%.0f s", b.seconds), Name: "since the start"},
	}
	if n := b.sent(); n > 0 {
		list = append(list, live.Card{Value: live.Bytes(n), Name: "sent"})
	}
	if n := b.killed(); n > 0 {
		list = append(list, live.Card{Value: fmt.Sprint(n), Name: "killed"})
	}
	for _, v := range b.means() {
		list = append(list, live.Card{Value: live.Number(v.x), Name: v.name})
	}
	return live.Cards(list...)
}

// alerts are what has gone wrong, and who is missing.
func (p *page) alerts() string {
	var b strings.Builder
	for i := range p.board.rows {
		if r := &p.board.rows[i]; r.state == down || r.state == failed {
			b.WriteString(live.Alert("%s is %s: %s", r.name, r.state, p.why(r)))
		}
	}
	if n := p.board.broken; n > 0 {
		b.WriteString(live.Alert("failed blocks: %d, the last of %s", n, p.board.why))
	}
	return b.String()
}

// why is what is wrong with a peer, "" if nothing is.
func (p *page) why(r *row) string {
	switch {
	case r.state == down:
		return "it was killed, and comes back"
	case r.err != "":
		return r.err
	case r.state != done && p.lost[r.name] != "":
		return p.lost[r.name]
	case len(r.waits) > 0:
		return "waits for " + r.waits[0]
	}
	return ""
}

// maxCharts is how many values have a chart.
const maxCharts = 12

// charts are the curves.
func (p *page) charts() string {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(p.curves))
	for _, name := range names[:min(len(names), maxCharts)] {
		var series []live.Series
		for _, class := range slices.Sorted(maps.Keys(p.curves[name])) {
			series = append(series, live.Series{Name: class, Curve: p.curves[name][class].curve()})
		}
		b.WriteString(live.Chart("chart-value-"+name, name, "round", series...) + "\n")
	}
	b.WriteString(live.Chart("chart-traffic", "KiB a second", "seconds", live.Series{Name: "received", Curve: &p.in}, live.Series{Name: "sent", Curve: &p.out}))
	return "<div class=charts>\n" + b.String() + "\n</div>\n"
}

// maxRows is how many peers the page lists.
const maxRows = 200

// peersTable has a line for each peer.
func (p *page) peersTable() string {
	var b strings.Builder
	e := html.EscapeString
	rows := p.board.rows
	for i := range rows[:min(len(rows), maxRows)] {
		r := &rows[i]
		name, class := e(r.name), "up"
		if at := p.at[r.name]; at != "" {
			name = fmt.Sprintf("<a href=\"%s\">%s</a>", e(at), name)
		}
		if r.state == down || r.state == failed {
			class = "missing"
		}
		fmt.Fprintf(&b, "<tr><td>%s<td class=%s>%s<td class=n>%d<td class=n>%s<td class=n>%s<td class=n>%d<td>%s<td>%s<td>%s\n", name, class, r.state, r.round,
			partitioner.Bytes(r.in), partitioner.Bytes(r.out), r.killed, e(valueList(r.values)), e(strings.Join(r.missing, " ")), e(p.why(r)))
	}
	if n := len(rows) - maxRows; n > 0 {
		fmt.Fprintf(&b, "<tr><td colspan=9>… and %d more\n", n)
	}
	return live.Table("peers-table", "Peers",
		"<th>peer<th>state<th class=n>round<th class=n>received<th class=n>sent<th class=n>killed<th>values<th>does not hear<th>", b.String())
}
