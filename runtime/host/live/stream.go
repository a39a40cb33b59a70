package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Source makes the page as it is now. It may be called by several goroutines. Over says
// why nothing will change any more, "" if that is not so. A nil page is none: what was
// watched is gone.
type Source func(ctx context.Context) (p *Page, over string)

const (
	interval  = 500 * time.Millisecond // between looks at what has changed
	aliveness = 15 * time.Second       // after which a browser hears something though nothing has changed
	patience  = 10 * time.Second       // for a browser that does not read
)

// Handle has m serve the page at / and its changes at /events, to so many browsers at a
// time.
func Handle(m *http.ServeMux, most int, source Source) { handle(m, most, source, nil) }

// handle is [Handle] of a source that is looked at once more when ended is closed.
func handle(m *http.ServeMux, most int, source Source, ended <-chan struct{}) {
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		p, _ := source(r.Context())
		if p == nil {
			gone(w)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		secure(h)
		io.WriteString(w, p.html())
	})
	m.Handle("GET /events", &events{source, ended, make(chan struct{}, most)})
}

func gone(w http.ResponseWriter) {
	http.Error(w, "what this page shows has stopped", http.StatusServiceUnavailable)
}

func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// events are the streams of changes.
type events struct {
	source Source
	ended  <-chan struct{}
	places chan struct{} // one for each stream
}

// ServeHTTP writes what changes until the browser or what is watched is gone.
func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
	default:
		http.Error(w, fmt.Sprintf("%d browsers watch already", cap(e.places)), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	secure(w.Header())
	io.WriteString(w, "retry: 1000\n\n") // milliseconds until a browser that has lost us looks again
	s := &stream{w: w, c: http.NewResponseController(w), heard: time.Now(), sent: map[string]string{}}
	again := time.NewTicker(interval)
	defer again.Stop()
	for {
		p, over := e.source(r.Context())
		if p == nil || s.update(p) != nil {
			return
		}
		if over != "" {
			s.write("event: end\ndata: " + quoted(over) + "\n\n")
			return
		}
		select {
		case <-again.C:
		case <-e.ended:
		case <-r.Context().Done():
			return
		}
	}
}

// stream is what one browser has been sent.
type stream struct {
	w     io.Writer
	c     *http.ResponseController
	heard time.Time         // when something was written last
	sent  map[string]string // the HTML of parts
}

// update is a message to the script: all parts in their order, with the HTML of those that
// have changed.
type update struct {
	Title string   `json:"title"`
	Of    string   `json:"of"`
	Parts []change `json:"parts"`
}

type change struct {
	ID   string  `json:"id"`
	HTML *string `json:"html,omitempty"`
}

// update sends what has changed, if anything has.
func (s *stream) update(p *Page) error {
	u, changed := update{Title: p.Title, Of: p.Of}, len(s.sent) != len(p.Parts)
	for i := range p.Parts {
		x := &p.Parts[i]
		c := change{ID: x.ID}
		if before, ok := s.sent[x.ID]; !ok || before != x.HTML {
			c.HTML, changed = &x.HTML, true
		}
		u.Parts = append(u.Parts, c)
	}
	if !changed {
		if time.Since(s.heard) < aliveness {
			return nil
		}
		return s.write(":\n\n")
	}
	clear(s.sent)
	for _, x := range p.Parts {
		s.sent[x.ID] = x.HTML
	}
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return s.write("data: " + string(b) + "\n\n")
}

// write writes a message at once. A browser that does not read it is given up.
func (s *stream) write(text string) error {
	s.heard = time.Now()
	s.c.SetWriteDeadline(s.heard.Add(patience)) // not every writer has one
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}

// quoted is a text as JSON: it has no line breaks.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
