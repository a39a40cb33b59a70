//go:build unix

package launch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// A peer with a limit of 200 files continues, and stores its state, while strangers open 600 connections to it,
// to its pages, or both, and keep them open. Its timeouts are an hour, so that no timeout makes room.
func TestStrangersTakeDescriptors(t *testing.T) {
	t.Run("of the peer", func(t *testing.T) { besiege(t, true, false) })
	t.Run("of its pages", func(t *testing.T) { besiege(t, false, true) })
	t.Run("of both", func(t *testing.T) { besiege(t, true, true) })
}

func besiege(t *testing.T, streams, ofPages bool) {
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n 200 && exec %s -state %s -listen 127.0.0.1:0 -http 127.0.0.1:0 -patience 1h -events - -log-level error", os.Args[0], dir))
	cmd.Env = append(os.Environ(), asPeer+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	next := func(is func(*peer.Line) bool) *peer.Line {
		t.Helper()
		for lines.Scan() {
			var l peer.Line
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			if is(&l) {
				return &l
			}
		}
		t.Fatal("the peer has ended")
		return nil
	}
	started := next(func(l *peer.Line) bool { return l.Kind == "started" })
	at := strings.Split(string(started.Addresses[0]), "/")
	pages := strings.Trim(strings.TrimPrefix(started.Pages, "http:"), "/")
	if pages == "" {
		t.Fatalf("%+v tells of no pages", started)
	}
	for addr, attacked := range map[string]bool{net.JoinHostPort(at[2], at[4]): streams, pages: ofPages} {
		for i := 0; i < 600 && attacked; i++ {
			c, err := net.DialTimeout("tcp", addr, time.Second)
			if err != nil {
				continue // the peer has closed it, which is fine
			}
			defer c.Close()
		}
	}
	besieged := time.Now()
	first := next(func(l *peer.Line) bool { return l.Kind == "emitted" && l.Time.After(besieged) }) // each waits for a snapshot
	next(func(l *peer.Line) bool {
		if l.Kind == "status" && l.Unsaved != "" {
			t.Fatalf("the state cannot be written: %s", l.Unsaved)
		}
		return l.Kind == "emitted" && l.Round > first.Round+40
	})
}
