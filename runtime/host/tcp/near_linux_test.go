package tcp

import (
	"crypto/ed25519"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// near starts a transport that accepts streams at an address until the test ends.
func near(t *testing.T, listen ...wire.Address) (x peer.Transport, id wire.PeerID) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err = New(peer.TransportConfig{Key: key, Listen: listen, Log: slog.New(slog.DiscardHandler), HandshakeTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	go func() {
		for {
			if _, err := x.Accept(); err != nil {
				return
			}
		}
	}()
	return x, peer.IDOf(key)
}

// networkOf returns over which network a stream to a peer goes.
func networkOf(t *testing.T, from peer.Transport, to wire.PeerID, at wire.Address) string {
	t.Helper()
	s, err := from.Dial(t.Context(), to, []wire.Address{at}, peer.EnvelopeStream)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Peer() != to {
		t.Errorf("the stream is to %v, want %v", s.Peer(), to)
	}
	return s.(interface{ RemoteAddr() net.Addr }).RemoteAddr().Network()
}

// Peers of one machine have a shorter way than TCP. The listener advertises addresses of TCP alone.
func TestNear(t *testing.T) {
	server, id := near(t, "/ip4/127.0.0.1/tcp/0")
	client, _ := near(t)
	all := server.Addresses()
	if len(all) != 1 || !strings.Contains(string(all[0]), "/tcp/") {
		t.Fatalf("listens at %v, want one address of TCP", all)
	}
	if got := networkOf(t, client, id, all[0]); got != "unix" {
		t.Errorf("over %s, want unix", got)
	}
}

// What listens at another port, such as a proxy, is not bypassed.
func TestNearProxy(t *testing.T) {
	server, id := near(t, "/ip4/127.0.0.1/tcp/0")
	client, _ := near(t)
	at, err := net.ResolveTCPAddr("tcp", mustHostPort(t, server.Addresses()[0]))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			defer c.Close()
			if to, err := net.DialTCP("tcp", nil, at); err == nil {
				defer to.Close()
				go to.ReadFrom(c)
				c.(*net.TCPConn).ReadFrom(to)
			}
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if got := networkOf(t, client, id, wire.Address("/ip4/127.0.0.1/tcp/"+port)); got != "tcp" {
		t.Errorf("over %s, want tcp", got)
	}
}

// A process of another user that has taken the name of a peer cannot keep others from it.
func TestNearStolen(t *testing.T) {
	if syscall.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := portOf(probe.Addr().String())
	probe.Close()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	thief := listenAs(t, 65534, nearName(port, peer.IDOf(key)))
	defer thief.Close()
	go func() {
		for c, err := thief.Accept(); err == nil; c, err = thief.Accept() {
			c.Close()
		}
	}()
	server, err := New(peer.TransportConfig{Key: key, Listen: []wire.Address{wire.Address("/ip4/127.0.0.1/tcp/" + port)},
		Log: slog.New(slog.DiscardHandler), HandshakeTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go server.Accept()
	client, _ := near(t)
	if got := networkOf(t, client, peer.IDOf(key), server.Addresses()[0]); got != "tcp" {
		t.Errorf("over %s, want tcp", got)
	}
}

// listenAs listens at a name as another user, in one thread.
func listenAs(t *testing.T, uid int, name string) net.Listener {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	become := func(uid int) {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
			t.Fatal(errno)
		}
	}
	become(uid)
	defer become(0)
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustHostPort(t *testing.T, a wire.Address) string {
	t.Helper()
	parts := strings.Split(string(a), "/")
	return net.JoinHostPort(parts[2], parts[4])
}
