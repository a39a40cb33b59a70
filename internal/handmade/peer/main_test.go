//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// The test binary is the peer, too.
func TestMain(m *testing.M) {
	if os.Getenv("BBGEN_TEST_PEER") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// patience is the time limit of a line of events on a busy machine.
const patience = 8 * time.Minute

// process is a running peer. It can be killed and restarted.
type process struct {
	t      *testing.T
	args   []string
	events string
	cmd    *exec.Cmd
	log    *bytes.Buffer
	seen   int // the number of processed lines of events
}

func start(t *testing.T, events string, args ...string) *process {
	p := &process{t: t, args: args, events: events, log: &bytes.Buffer{}}
	p.start()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", strings.Join(args, " "), p.log)
		}
	})
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0], append(p.args, "-events", p.events)...)
	p.cmd.Env = append(os.Environ(), "BBGEN_TEST_PEER=1")
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// end ends the process by a signal and waits for its end.
func (p *process) end(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Wait()
}

// await waits for a line of events.
func (p *process) await(what string, is func(peer.Line) bool) peer.Line {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(p.events)
		lines := bytes.SplitAfter(b, []byte("\n"))
		for ; p.seen < len(lines) && bytes.HasSuffix(lines[p.seen], []byte("\n")); p.seen++ {
			var l peer.Line
			if err := json.Unmarshal(lines[p.seen], &l); err != nil {
				p.t.Fatalf("%s: %v", lines[p.seen], err)
			}
			if is(l) {
				p.seen++
				return l
			}
		}
	}
	p.t.Fatalf("%s never happens", what)
	return peer.Line{}
}

func (p *process) awaitRound(n uint64) peer.Line {
	p.t.Helper()
	return p.await(fmt.Sprint("round ", n), func(l peer.Line) bool { return l.Kind == "emitted" && l.Round >= n })
}

// command runs a command of a peer and returns its output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BBGEN_TEST_PEER=1")
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, &errs)
	}
	return strings.TrimSpace(string(out))
}

// A server and three clients are processes, admitted by invitations. A client is killed and restarted, the
// server is killed and continues from its snapshot, then is stopped orderly and continues again. The model
// has the bits of the plain computation: nothing is lost or done twice.
func TestProcesses(t *testing.T) {
	const rounds, clients = 250, 3
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	program := []string{"server", fmt.Sprint(rounds), fmt.Sprint(clients)}
	args := append(program, "-state", in("server"), "-listen", launch.Loopback()+":0", "-await", "client=3", "-once")
	server := start(t, in("server.jsonl"), args...)
	at := server.await("the start", func(l peer.Line) bool { return l.Kind == "started" }).Addresses[0]
	server.args = append(server.args, "-listen", string(at)) // the same port after the restart

	var all []*process
	for c := range clients {
		token := command(t, append(program, "invite", "-state", in("server"), "-class", "client")...)
		all = append(all, start(t, in(fmt.Sprintf("client%d.jsonl", c)), "client", "-state", in(fmt.Sprint("client", c)), "-join", token))
	}
	server.awaitRound(20)
	all[1].end(syscall.SIGKILL)
	all[1].start()
	server.awaitRound(60)
	server.end(syscall.SIGKILL)
	server.start()
	server.awaitRound(100)
	server.end(syscall.SIGTERM)
	if code := server.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("stopped in good order the server exits with %d", code)
	}
	server.start()
	last := server.awaitRound(rounds)
	if got, want := fmt.Sprint(last.Value), fmt.Sprint(handmade.Rounds([]float64{8, -3}, rounds, clients)); got != want {
		t.Errorf("the model is %s, want %s", got, want)
	}
	server.await("the end", func(l peer.Line) bool { return l.Kind == "ended" && l.Error == "" })
	if err := server.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A process that hangs is detected although its connection remains open, and the rounds continue without it.
// It takes part again when it continues.
func TestHanging(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as a hanging peer is given")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	server := start(t, in("server.jsonl"), "server", "1000000", "1", "-state", in("server"), "-listen", "127.0.0.1:0", "-await", "client=2")
	server.await("the start", func(l peer.Line) bool { return l.Kind == "started" })
	var all []*process
	for c := range 2 {
		token := command(t, "server", "1", "1", "invite", "-state", in("server"), "-class", "client")
		all = append(all, start(t, in(fmt.Sprintf("client%d.jsonl", c)), "client", "-join", token))
		server.await("a peer", func(l peer.Line) bool { return l.Kind == "peer up" })
	}
	server.awaitRound(20)
	if err := all[1].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	l := server.await("a silent peer", func(l peer.Line) bool { return l.Kind == "peer down" })
	if l.From != "client-1" || !strings.Contains(l.Error, "silent") {
		t.Errorf("%s is down: %s", l.From, l.Error)
	}
	at := server.await("a round", func(l peer.Line) bool { return l.Kind == "emitted" }).Round
	server.awaitRound(at + 3)
	if err := all[1].cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	server.await("a peer", func(l peer.Line) bool { return l.Kind == "peer up" && l.From == "client-1" })
	server.end(syscall.SIGTERM)
}
