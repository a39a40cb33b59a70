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
	s.Start()
	if !s.ReadyForConnections(readyTimeout) {
		s.Shutdown()
		return nil, errors.New("the broker does not start")
	}
	return &Hub{s, s.Addr().(*net.TCPAddr).Port}, nil
}

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
