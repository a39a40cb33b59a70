package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A Source makes the page in its present state. It must be safe for concurrent use. Over is the reason why
// nothing will change any more, or "". A nil page means that the watched object is gone.
type Source func(ctx context.Context) (p *Page, over string)

const (
	interval  = 500 * time.Millisecond // between checks for changes
	aliveness = 15 * time.Second       // after which a sign of life is sent even if nothing has changed
	patience  = 10 * time.Second       // for a browser that does not read
)

// Handle serves the page at / and its changes at /events, to at most most browsers at a time.
func Handle(m *http.ServeMux, most int, source Source) { handle(m, most, source, nil) }

// handle is [Handle] for a source that is checked once more when ended is closed.
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

// events serves the streams of changes.
type events struct {
	source Source
	ended  <-chan struct{}
	places chan struct{} // one for each stream
}

// ServeHTTP writes changes until the browser disconnects or the watched object is gone.
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
	io.WriteString(w, "retry: 1000\n\n") // milliseconds until a disconnected browser tries again
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

// stream is the state of one browser.
type stream struct {
	w     io.Writer
	c     *http.ResponseController
	heard time.Time         // when data were written last
	sent  map[string]string // the HTML of parts
}

// update is a message for the script: all parts in their order, with the HTML of those that have changed.
type update struct {
	Title string   `json:"title"`
	Of    string   `json:"of"`
	Parts []change `json:"parts"`
}

type change struct {
	ID   string  `json:"id"`
	HTML *string `json:"html,omitempty"`
}

// update sends changed parts, if there are any.
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

// write writes a message at once. A browser that does not read it is disconnected.
func (s *stream) write(text string) error {
	s.heard = time.Now()
	s.c.SetWriteDeadline(s.heard.Add(patience)) // not every writer has deadlines
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}

// quoted returns a text as JSON, which has no line breaks.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
