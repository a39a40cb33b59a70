package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/wire"
)

// session is the state of a client on the server. It outlives breaks of the connection.
type session struct {
	server *Server
	peer   wire.PeerID
	id     string
	client *client
	device int
	memory *account
	link   *protocol.Link
	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	tasks  sync.WaitGroup // streams and transfers
	graphs graphs
	fetches

	// One connection at a time reads messages, and holds this lock.
	reading sync.Mutex
	store   store
	streams map[uint32]*stream
	seeds

	mu     sync.Mutex
	conn   *protocol.Conn // the latest one
	expiry *time.Timer    // runs during a break
	ended  bool
}

func newSession(s *Server, id wire.PeerID, name string, c *client, device int) *session {
	x := &session{server: s, peer: id, id: name, client: c, device: device, streams: map[uint32]*stream{}, link: protocol.NewLink(0, 0)}
	x.memory = &account{whose: "the session", above: c.memory[device], limit: c.memory[device].limit}
	x.store = store{x.memory, map[uint64]*slot{}}
	x.graphs = graphs{memory: x.memory, loaded: map[string]*loaded{}, operations: map[string]*exec.Graph{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// serve serves a connection of the session. The client has all answers up to acked. It first ends the
// previous connection.
func (x *session) serve(conn *protocol.Conn, acked uint64) error {
	if !x.resume(conn) {
		return conn.Send(&protocol.Message{Kind: protocol.Opened, Failure: &protocol.Failure{Code: protocol.Lost, Op: "open", Text: "the session is over"}})
	}
	defer x.pause(conn)
	x.reading.Lock()
	defer x.reading.Unlock()
	if err := x.link.Attach(conn, acked, &protocol.Message{Kind: protocol.Opened, Blob: []byte(x.id), Number: uint64(x.device)}); err != nil {
		x.end(err)
		return err
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		switch over, err := x.receive(conn, m); {
		case errors.Is(err, protocol.ErrMalformed):
			x.end(err) // a connection with another protocol ends the session
			return err
		case err != nil: // a break, in the middle of the data after a message
			return err
		case over:
			x.end(errors.New("the client has closed the session"))
			return nil
		}
	}
}

// resume makes a connection that of the session, unless the session has ended.
func (x *session) resume(conn *protocol.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return false
	}
	if x.conn != nil {
		x.conn.Close()
	}
	if x.expiry != nil {
		x.expiry.Stop()
	}
	x.conn, x.expiry = conn, nil
	return true
}

// pause begins a break: the session ends if the client does not reconnect in time.
func (x *session) pause(conn *protocol.Conn) {
	x.link.Detach(conn)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != conn || x.ended {
		return
	}
	x.conn = nil
	x.expiry = time.AfterFunc(x.server.config.Grace, func() { x.end(errors.New("the client did not come back")) })
}

// end releases all resources of the session. Running tasks end soon.
func (x *session) end(why error) {
	x.mu.Lock()
	if x.ended {
		x.mu.Unlock()
		return
	}
	x.ended = true
	if x.expiry != nil {
		x.expiry.Stop()
	}
	x.server.loops.Go(func() {
		x.cancel()
		x.link.Close(fmt.Errorf("%w: %w", protocol.ErrClosed, why))
		x.tasks.Wait()
		x.reading.Lock()
		defer x.reading.Unlock()
		x.memory.close()
		x.server.remove(x)
		x.server.config.Log.Info("session ended", "client", x.peer, "why", why)
	})
	x.mu.Unlock()
}
