package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
)

// The maximum number of connections of a server, and of those that watch.
const (
	maxConnections = 64
	maxWatchers    = 16
)

// A Server serves one page.
type Server struct {
	URL      string // for the browser
	s        *http.Server
	over     string        // why nothing changes any more; set before ended is closed
	ended    chan struct{} // closed when nothing changes any more
	farewell time.Duration // for browsers to receive the final state
}

// Address returns the listen address: a port without a host is on loopback.
func Address(s string) string {
	if host, port, err := net.SplitHostPort(s); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	} else if err != nil && !strings.Contains(s, ":") {
		return net.JoinHostPort("127.0.0.1", s)
	}
	return s
}

// Open serves a page at an address. On loopback it answers requests that use this machine's own name; at other
// addresses it requires a token, which is part of the URL.
func Open(address string, source Source) (*Server, error) {
	l, err := net.Listen("tcp", Address(address))
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String() + "/", ended: make(chan struct{}), farewell: patience}
	m := http.NewServeMux()
	handle(m, maxWatchers, s.ending(source), s.ended)
	h := httpguard.Names(m)
	if !httpguard.IsLocal(l) {
		token := rand.Text()
		h = httpguard.Token(m, token)
		s.URL += "?token=" + token
	}
	s.s = newServer(h)
	guarded := httpguard.Guard(s.s, l, maxConnections)
	go s.s.Serve(guarded)
	return s, nil
}

// newServer returns a server that disconnects a browser that sends no whole request, or does not read the page. Streams set
// their own time limits.
func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: patience, WriteTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
}

// ending returns a source that ends when the server does.
func (s *Server) ending(source Source) Source {
	return func(ctx context.Context) (*Page, string) {
		select {
		case <-s.ended:
			p, _ := source(ctx)
			return p, s.over
		default:
			return source(ctx)
		}
	}
}

// Close ends the server. Browsers get the final page, and the reason why it does not change any more.
func (s *Server) Close(format string, args ...any) {
	s.over = fmt.Sprintf(format, args...)
	close(s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), s.farewell)
	defer cancel()
	if s.s.Shutdown(ctx) != nil {
		s.s.Close()
	}
}
