// Package hub runs a broker in this process, for tests and for bbgen run.
package hub

import (
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A Hub is a broker.
type Hub struct {
	server *server.Server
	port   int
}

// Start starts a broker on loopback, at a port; 0 chooses a free one.
func Start(port int) (*Hub, error) {
	switch {
	case port < 0 || port > math.MaxUint16:
		return nil, fmt.Errorf("port %d, want 0 to %d", port, math.MaxUint16)
	case port == 0:
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true, MaxPending: maxPending, WriteDeadline: writeDeadline})
	if err != nil {
		return nil, err
	}
	fatal := make(reasons, 1)
	s.SetLogger(fatal, false, false)
	s.Start()
	select {
	case err = <-fatal: // it would not become ready
	default:
		if !s.ReadyForConnections(readyTimeout) {
			err = errors.New("it is not ready")
		}
	}
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("the broker does not start: %w", err)
	}
	return &Hub{s, s.Addr().(*net.TCPAddr).Port}, nil
}

// reasons is a log that keeps the first reason for which a broker does not start, such as a port that is taken. The broker writes
// it before Start returns.
type reasons chan error

// Fatalf keeps a reason. The last argument is the error, which names the address.
func (r reasons) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if len(args) > 0 {
		if last, ok := args[len(args)-1].(error); ok {
			err = last
		}
	}
	select {
	case r <- err:
	default:
	}
}

func (reasons) Noticef(string, ...any) {}
func (reasons) Warnf(string, ...any)   {}
func (reasons) Errorf(string, ...any)  {}
func (reasons) Debugf(string, ...any)  {}
func (reasons) Tracef(string, ...any)  {}

// maxPending is how many bytes may wait for one peer: the windows of ten thousand streams.
const maxPending = 512 << 20

// writeDeadline is how long a peer may take to read: all peers share this machine, which may be busy with others.
const writeDeadline = time.Minute

const readyTimeout = time.Minute

// Address returns the address of the broker.
func (h *Hub) Address() wire.Address {
	return wire.Address(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", h.port))
}

// Port returns the port of the broker.
func (h *Hub) Port() int { return h.port }

// Stop ends the broker as if it were killed: messages that it holds are lost.
func (h *Hub) Stop() {
	h.server.Shutdown()
	h.server.WaitForShutdown()
}
