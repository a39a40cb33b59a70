package launch

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Loopback is an IP address of this machine that hardly any other program uses: one of
// 127.0.0.0/8, all of which is the machine's own on Linux, or else 127.0.0.1. A port that
// is free there stays free while the peer that it is for is about to start, or is killed
// and started again: the system gives it to nobody who asks for any port of 127.0.0.1.
func Loopback() string {
	ip := fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return ip
}
