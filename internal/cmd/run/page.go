package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
)

// page shows a board to browsers while it changes; a nil one shows nothing.
type page struct {
	server *live.Server
	title  string

	mu      sync.Mutex // of all below, and of what the board knows
	zero    time.Time  // what seconds count from
	board   *board
	curves  map[string]map[string]*roundMeans // of the values that peers have emitted, by name and class
	in, out live.Curve                        // KiB a second, of all peers
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
	p := &page{title: title, zero: time.Unix(0, 0).UTC(), board: b, curves: map[string]map[string]*roundMeans{}, at: map[string]string{}, lost: map[string]string{}}
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
