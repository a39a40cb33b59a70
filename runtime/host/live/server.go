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

// How many connections a server has, and how many of them watch.
const (
	maxConnections = 64
	maxWatchers    = 16
)

// Server serves one page.
type Server struct {
	URL      string // what a browser is to open
	s        *http.Server
	over     string        // why nothing changes any more; set before ended is closed
	ended    chan struct{} // closed when nothing changes any more
	farewell time.Duration // that browsers have to take how it has ended
}

// Address is where to listen: a port alone is on loopback.
func Address(s string) string {
	if host, port, err := net.SplitHostPort(s); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	} else if err != nil && !strings.Contains(s, ":") {
		return net.JoinHostPort("127.0.0.1", s)
	}
	return s
}

// Open serves a page at an address. On loopback it answers who asks for this machine by its
// own name; on others who has a token, which is a part of the URL.
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
	s.s = &http.Server{Handler: h, ReadHeaderTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	guarded := httpguard.Guard(s.s, l, maxConnections)
	go s.s.Serve(guarded)
	return s, nil
}

// ending is a source that ends when the server does.
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

// Close ends the server. Who watches is shown the page as it is now, and why nothing will
// change any more.
func (s *Server) Close(format string, args ...any) {
	s.over = fmt.Sprintf(format, args...)
	close(s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), s.farewell)
	defer cancel()
	if s.s.Shutdown(ctx) != nil {
		s.s.Close()
	}
}
