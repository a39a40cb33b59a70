//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/otlp/otlptest"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// TestTraces runs a server and two clients as processes that send traces. One client is killed and comes back; what it
// had not sent is lost. Each round is a trace, whose root is a span of the server and which has spans of the client that
// was not killed.
func TestTraces(t *testing.T) {
	const rounds = 60
	collector := otlptest.New(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	program := []string{"server", fmt.Sprint(rounds), "2"}
	server := start(t, in("server.jsonl"), append(program, "-state", in("server"), "-listen", launch.Loopback()+":0", "-await", "client=2", "-once", "-otlp", collector.URL)...)
	server.await("the start", func(l peer.Line) bool { return l.Kind == "started" })
	var clients []*process
	for c := range 2 {
		token := command(t, append(program, "invite", "-state", in("server"), "-class", "client")...)
		clients = append(clients, start(t, in(fmt.Sprintf("client%d.jsonl", c)), "client", "-state", in(fmt.Sprint("client", c)), "-join", token, "-otlp", collector.URL))
	}
	server.awaitRound(20)
	clients[1].end(syscall.SIGKILL)
	clients[1].start()
	server.await("the end", func(l peer.Line) bool { return l.Kind == "ended" })
	server.cmd.Wait()
	for _, c := range clients {
		c.end(syscall.SIGTERM)
	}
	check(t, collector.Spans(), rounds)
}

// check checks the spans of the rounds of a server and two clients, of which the second was killed.
func check(t *testing.T, spans []otlptest.Span, rounds int) {
	roots, peers, known := map[string]string{}, map[string]map[string]bool{}, map[string]bool{}
	for _, s := range spans {
		known[s.ID] = true
		if peers[s.Trace] == nil {
			peers[s.Trace] = map[string]bool{}
		}
		peers[s.Trace][s.Resource["bbgen.peer"]] = true
		if s.Parent != "" {
			continue
		}
		if s.Name != "server" || s.Resource["bbgen.peer"] != "server-0" || s.Resource["service.name"] != "rounds" || roots[s.Trace] != "" {
			t.Errorf("the root of trace %s is %+v, and was %s", s.Trace, s, roots[s.Trace])
		}
		roots[s.Trace] = s.ID
	}
	if len(roots) != rounds {
		t.Errorf("%d traces have a root, want %d", len(roots), rounds)
	}
	for trace := range roots {
		if !peers[trace]["client-0"] {
			t.Errorf("trace %s has no spans of client-0", trace)
		}
	}
	for _, s := range spans {
		if !known[s.Parent] && s.Parent != "" && s.Resource["bbgen.peer"] != "client-1" || roots[s.Trace] == "" || s.End < s.Start {
			t.Errorf("the parent of this span, or the root of its trace, was not sent: %+v", s)
		}
	}
}
