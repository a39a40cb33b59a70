package httpguard

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// Guard limits a server to n connections. If there are as many, a new one replaces the one that has waited
// longest for a complete request, so that a client that opens silent connections does not block others. Call it
// before serving; it returns the listener to serve.
func Guard(s *http.Server, l net.Listener, n int) net.Listener {
	g := &guard{Listener: l, max: n, waiting: list.New()}
	h := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(connKey{}).(*conn)
		g.begin(c)
		defer g.end(c)
		h.ServeHTTP(w, r)
	})
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	return g
}

type connKey struct{}

// guard is a listener with a limit on its connections.
type guard struct {
	net.Listener
	max int

	mu      sync.Mutex
	open    int        // connections; guarded by mu
	waiting *list.List // those without a request in progress, *conn, oldest first; guarded by mu
}

// conn is a connection of a guard.
type conn struct {
	net.Conn
	g       *guard
	waits   *list.Element // in the guard's list, nil if it is not in it; guarded by its mu
	working int           // requests in progress; guarded by its mu
	closed  bool          // guarded by its mu
}

func (g *guard) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if g.makeRoom() {
			return g.add(c), nil
		}
		c.Close() // all have requests in progress
	}
}

// makeRoom closes the connection that has waited longest if there is no room for another. It reports whether
// there is room.
func (g *guard) makeRoom() bool {
	g.mu.Lock()
	var oldest *conn
	if g.open >= g.max && g.waiting.Len() > 0 {
		oldest = g.waiting.Front().Value.(*conn)
	}
	room := g.open < g.max || oldest != nil
	g.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
	return room
}

func (g *guard) add(c net.Conn) *conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open++
	x := &conn{Conn: c, g: g}
	x.waits = g.waiting.PushBack(x)
	return x
}

// begin records the beginning of a request.
func (g *guard) begin(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.working++
	g.unlist(c)
}

// end records the end of a request, which may have closed the connection.
func (g *guard) end(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.working--; c.working == 0 && !c.closed {
		c.waits = g.waiting.PushBack(c)
	}
}

// unlist removes a connection from the waiting ones. The caller holds mu.
func (g *guard) unlist(c *conn) {
	if c.waits != nil {
		g.waiting.Remove(c.waits)
		c.waits = nil
	}
}

// leave releases the place of a connection, once.
func (g *guard) leave(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !c.closed {
		c.closed = true
		g.open--
		g.unlist(c)
	}
}

// Close closes the connection and releases its place.
func (c *conn) Close() error {
	c.g.leave(c)
	return c.Conn.Close()
}
