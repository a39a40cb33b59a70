package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// page shows a live board in browsers. A nil one shows nothing.
type page struct {
	server *live.Server
	title  string

	mu      sync.Mutex // guards all fields below, and the board
	zero    time.Time  // time of second 0
	board   *board
	curves  map[string]map[string]*roundMeans // values that peers have emitted, by name and class
	in, out live.Curve                        // KiB per second, of all peers
	counted traffic
	events  live.Events
	at      map[string]string        // addresses of the peers' own pages
	lost    map[string]string        // peers that others cannot reach, with the error
	under   map[string]*peer.Picture // what is under way in peers
}

// traffic is the total number of bytes at a time.
type traffic struct {
	seconds float64
	in, out int64
}

// openPage serves the page of a board.
func openPage(address, title string, b *board) (*page, error) {
	p := &page{title: title, zero: time.Unix(0, 0).UTC(), board: b, curves: map[string]map[string]*roundMeans{}, at: map[string]string{}, lost: map[string]string{}, under: map[string]*peer.Picture{}}
	var err error
	if p.server, err = live.Open(address, p.show); err != nil {
		return nil, fmt.Errorf("--http: %w", err)
	}
	return p, nil
}

// change calls do, which changes the board, while no browser reads it.
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

// begin sets the time of second 0; in virtual time, that is midnight.
func (p *page) begin(zero time.Time) {
	if p != nil {
		p.change(func() { p.zero = zero })
	}
}

// count records the traffic since its last call, once per second.
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

// take records an event after the board has recorded it.
func (p *page) take(e event) {
	if p == nil {
		return
	}
	if e.Status != nil && e.Pages != "" {
		p.at[e.Peer] = e.Pages
	}
	if e.Picture != nil {
		p.under[e.Peer] = e.Picture
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
			return // already recorded, or it was not missing
		}
	case "exited", "ended", "killed":
		delete(p.at, e.Peer)
		delete(p.under, e.Peer)
	}
	p.events.Add(p.zero.Add(time.Duration(e.seconds*1e9)), e.wrong(), e.text())
}

// close ends the page. Browsers are shown the end.
func (p *page) close() {
	if p != nil {
		summary, _, _ := strings.Cut(p.board.summary(), "\n")
		p.server.Close("%s", summary)
	}
}

// show renders the page.
func (p *page) show(context.Context) (*live.Page, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &live.Page{Title: p.title, Of: "bbgen run", Parts: []live.Part{
		{ID: "cards", HTML: p.cards()}, {ID: "alerts", HTML: p.alerts()}, {ID: "picture", HTML: p.picture()}, {ID: "charts", HTML: p.charts()},
		{ID: "peers", HTML: p.peersTable()}, {ID: "events", HTML: p.events.HTML()},
	}}, ""
}
