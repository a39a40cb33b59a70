package server

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Config configures a server.
type Config struct {
	Key    ed25519.PrivateKey
	Listen []wire.Address
	Log    *slog.Logger // nil: no log

	// Admit returns the reason why a client is refused, or nil. The channel has proven the id; the Hello may
	// prove an invitation. It must be safe for concurrent use. Without Admit all clients are refused.
	Admit func(id wire.PeerID, hello *wire.Hello) error

	Memory       int           // bytes for all clients
	ClientMemory int           // bytes for each
	Devices      int           // among which the memory is divided, also that of each client; 0: 1
	Sessions     int           // of a client; 0: 8
	Connections  int           // of all; 0: 256
	Grace        time.Duration // how long a session waits for its client after a break; 0: a minute
}

// Server is a running server.
type Server struct {
	config    Config
	transport peer.Transport
	memory    *account
	devices   []*account // their parts of it
	limits    protocol.Limits
	ctx       context.Context
	cancel    context.CancelFunc
	loops     sync.WaitGroup // goroutines of connections, and ends of sessions

	mu       sync.Mutex
	clients  map[wire.PeerID]*client
	sessions map[string]*session
	offers   map[string]*offer
	visitors []peer.Stream        // connections that are not admitted yet, oldest first
	entered  map[peer.Stream]bool // connections of clients, and of servers with a ticket
	closed   bool

	dialing chan struct{} // a semaphore for transfers that dial another server, which has limits, too
}

// client is the common state of all sessions of a client.
type client struct {
	memory   []*account // by device
	sessions int
}

// New starts a server. From then on kernels run at the level of this machine in the whole process: see
// [eval.Native].
func New(c Config) (*Server, error) {
	eval.Native()
	if c.Memory <= 0 || c.ClientMemory <= 0 {
		return nil, fmt.Errorf("memory is %d bytes and %d for each client, want more than 0", c.Memory, c.ClientMemory)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	orElse(&c.Sessions, 8)
	orElse(&c.Connections, 256)
	orElse(&c.Devices, 1)
	if c.Devices < 0 || c.ClientMemory < c.Devices || c.Memory < c.Devices {
		return nil, fmt.Errorf("%d devices, want at least one, and a byte of memory for each", c.Devices)
	}
	if c.Grace == 0 {
		c.Grace = time.Minute
	}
	t, err := tcp.New(peer.TransportConfig{
		Key: c.Key, Listen: c.Listen, Log: c.Log, Protocols: []peer.Protocol{protocol.Stream},
		Handshakes: 64, HandshakeTimeout: protocol.HelloTimeout,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, transport: t, limits: protocol.DefaultLimits(),
		memory:  &account{whose: "the server", limit: c.Memory},
		dialing: make(chan struct{}, maxDialing), entered: map[peer.Stream]bool{},
		clients: map[wire.PeerID]*client{}, sessions: map[string]*session{}, offers: map[string]*offer{},
	}
	for i := range c.Devices {
		s.devices = append(s.devices, &account{whose: fmt.Sprint("device ", i), above: s.memory, limit: c.Memory / c.Devices})
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.loops.Go(s.accept)
	return s, nil
}

func orElse(n *int, otherwise int) {
	if *n == 0 {
		*n = otherwise
	}
}

// Addresses returns the addresses at which the server can be dialed.
func (s *Server) Addresses() []wire.Address { return s.transport.Addresses() }

// Used returns the memory that all clients use.
func (s *Server) Used() int { return s.memory.inUse() }

// Close ends all sessions.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	var list []*session
	for _, x := range s.sessions {
		list = append(list, x)
	}
	s.mu.Unlock()
	s.cancel()
	err := s.transport.Close()
	for _, x := range list {
		x.end(errors.New("the server stops"))
	}
	s.loops.Wait()
	return err
}

// accept serves connections until the transport is closed.
func (s *Server) accept() {
	for {
		stream, err := s.transport.Accept()
		if err != nil {
			return
		}
		if !s.visit(stream) {
			stream.Close()
			continue
		}
		s.loops.Go(func() {
			defer stream.Close()
			defer s.leave(stream)
			if err := s.serve(stream); err != nil && !errors.Is(err, io.EOF) {
				s.config.Log.Info("connection ended", "client", stream.Peer(), "err", err)
			}
		})
	}
}
