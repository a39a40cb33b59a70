package tcp

import (
	"context"
	"net"
	"os"
	"syscall"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/wire"
)

// nearName is the name at which a peer that listens at a TCP port also listens for peers of its machine, without a file: those of
// other machines, and of other network namespaces, cannot dial it. A proxy at another port is not bypassed.
func nearName(port string, id wire.PeerID) string { return "@bbgen/" + id.String() + "/" + port }

// listenNear listens for peers of this machine. It returns nil if that is impossible: they use TCP then.
func listenNear(port string, id wire.PeerID) channel.Listener {
	l, err := net.Listen("unix", nearName(port, id))
	if err != nil {
		return nil
	}
	return nearListener{l}
}

// nearListener is a listener for peers of this machine, who dial the addresses of TCP.
type nearListener struct{ net.Listener }

func (nearListener) Addresses() []wire.Address { return nil }

// dialNear connects to a peer of this machine. It returns nil if there is no such peer, or if the process that listens belongs to
// another user: it may have taken the name in order that this connection fails.
func dialNear(ctx context.Context, port string, to wire.PeerID) net.Conn {
	if to.IsZero() {
		return nil
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", nearName(port, to))
	if err != nil {
		return nil
	}
	if !isOwn(c.(*net.UnixConn)) {
		c.Close()
		return nil
	}
	return c
}

// isOwn reports whether the process that listens at the other end belongs to the user of this one.
func isOwn(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		own = err == nil && int(cred.Uid) == os.Geteuid()
	})
	return err == nil && own
}
