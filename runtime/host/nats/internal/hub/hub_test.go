package hub

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bbgen/bbgen/runtime/wire"
)

// patience is for what a failing broker never does.
const patience = time.Minute

func started(t *testing.T, port int) *Hub {
	t.Helper()
	h, err := Start(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

func client(t *testing.T, h *Hub) *nats.Conn {
	t.Helper()
	c, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", h.Port()), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestHubPasses: what a client publishes comes in order to those who have asked for it, and to no others.
func TestHubPasses(t *testing.T) {
	h := started(t, 0)
	if want := wire.Address(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", h.Port())); h.Port() == 0 || h.Address() != want {
		t.Errorf("the address is %s, want %s", h.Address(), want)
	}
	from, to := client(t, h), client(t, h)
	a, err := to.SubscribeSync("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Flush(); err != nil { // the broker knows the subscription
		t.Fatal(err)
	}
	for i := range 100 {
		if err := from.Publish("b", []byte("another subject")); err != nil {
			t.Fatal(err)
		}
		if err := from.Publish("a", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		m, err := a.NextMsg(patience)
		if err != nil || string(m.Data) != fmt.Sprint(i) {
			t.Fatalf("message %d is %v, %v", i, m, err)
		}
	}
}

// TestStoppedHub: a hub that has stopped has closed its connections, and another one can take its port.
func TestStoppedHub(t *testing.T) {
	h := started(t, 0)
	c := client(t, h)
	closed := make(chan struct{})
	c.SetClosedHandler(func(*nats.Conn) { close(closed) })
	h.Stop()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("the connection is still there")
	}
	again := started(t, h.Port())
	if again.Port() != h.Port() {
		t.Errorf("the port is %d, want %d", again.Port(), h.Port())
	}
	if err := client(t, again).FlushTimeout(patience); err != nil {
		t.Errorf("the second hub does not answer: %v", err)
	}
}

// TestPort: a port that no address has is refused at once.
func TestPort(t *testing.T) {
	for _, port := range []int{-1, 65536} {
		if h, err := Start(port); err == nil {
			h.Stop()
			t.Errorf("a broker listens at port %d", port)
		}
	}
}

// TestTakenPort: a broker that cannot listen does not start, and the error has its address and the reason. It was not waited for.
func TestTakenPort(t *testing.T) {
	h := started(t, 0)
	again, err := Start(h.Port())
	if err == nil {
		again.Stop()
		t.Fatal("two brokers listen at a port")
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok || !strings.Contains(err.Error(), fmt.Sprintf("the broker does not start: listen tcp 127.0.0.1:%d: ", h.Port())) {
		t.Errorf("the error is %v, want one of listening at the address", err)
	}
	if err := client(t, h).FlushTimeout(patience); err != nil {
		t.Errorf("the first broker does not answer any more: %v", err)
	}
}
