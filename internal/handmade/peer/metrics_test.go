//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// TestMetrics fetches the metrics of a server and a client while they run, as Prometheus does. They have the form that
// Prometheus reads, count the rounds, fills and acknowledgements, and do not decrease where they are counters.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	program := []string{"server", "1000000", "1"}
	pages := []string{freeAddress(t), freeAddress(t)}
	server := start(t, in("server.jsonl"), append(program, "-state", in("server"), "-listen", launch.Loopback()+":0", "-await", "client=1", "-http", pages[0])...)
	server.await("the start", func(l peer.Line) bool { return l.Kind == "started" })
	token := command(t, append(program, "invite", "-state", in("server"), "-class", "client")...)
	client := start(t, in("client.jsonl"), "client", "-join", token, "-http", pages[1])

	at := server.awaitRound(20).Round
	first := []scraped{scrape(t, pages[0]), scrape(t, pages[1])}
	server.awaitRound(at + 20)
	for i, name := range []string{"server-0", "client-0"} {
		was, now := first[i], scrape(t, pages[i])
		if info := now.labels["bbgen_info"]; !strings.Contains(info, fmt.Sprintf("name=%q,program=\"rounds\"", name)) {
			t.Errorf("the metrics of %s say that they are of {%s}", name, info)
		}
		for metric, kind := range now.kinds {
			if kind == "counter" && now.values[metric] < was.values[metric] {
				t.Errorf("%s: the counter %s falls from %v to %v", name, metric, was.values[metric], now.values[metric])
			}
		}
		for _, metric := range []string{"bbgen_fills_total", "bbgen_blocks_total", "bbgen_sent_total", "bbgen_ack_seconds_count"} {
			if !(was.values[metric] >= 10 && now.values[metric] > was.values[metric]) {
				t.Errorf("%s: %s is %v after %d rounds, and then %v", name, metric, was.values[metric], at, now.values[metric])
			}
		}
		if now.values["bbgen_failures_total"] != 0 {
			t.Errorf("%s: %v failures", name, now.values["bbgen_failures_total"])
		}
	}
	if r := first[0].values["bbgen_round"]; r < 19 {
		t.Errorf("after %d rounds bbgen_round is %v", at, r)
	}
	client.end(syscall.SIGTERM)
	server.end(syscall.SIGTERM)
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(launch.Loopback(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// scraped is the metrics of a process, by name: the type of each, its value without labels, and the labels of one that has
// some.
type scraped struct {
	kinds, labels map[string]string
	values        map[string]float64
}

// scrape fetches metrics. Each line must be a comment or a sample of a metric whose type was given before.
func scrape(t *testing.T, addr string) scraped {
	t.Helper()
	r, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if kind := r.Header.Get("Content-Type"); err != nil || r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Fatalf("%s: %v, %s, of type %q", addr, err, r.Status, kind)
	}
	s := scraped{map[string]string{}, map[string]string{}, map[string]float64{}}
	for line := range strings.Lines(string(b)) {
		if text, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(strings.TrimSpace(text), " ")
			if s.kinds[name] != "" {
				t.Errorf("%s has two types", name)
			}
			s.kinds[name] = kind
		} else if !strings.HasPrefix(line, "# HELP ") {
			s.sample(t, strings.TrimSpace(line))
		}
	}
	return s
}

// sample reads a line such as bbgen_sent_total 5.
func (s *scraped) sample(t *testing.T, line string) {
	t.Helper()
	space := strings.LastIndexByte(line, ' ')
	v, err := strconv.ParseFloat(line[space+1:], 64)
	name, labels, labelled := strings.Cut(line[:max(space, 0)], "{")
	of := name
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if base := strings.TrimSuffix(name, part); s.kinds[base] == "histogram" {
			of = base
		}
	}
	if err != nil || s.kinds[of] == "" || labelled && !strings.HasSuffix(labels, "}") {
		t.Errorf("%q is no sample of a metric whose type is known: %v", line, err)
	}
	if labelled {
		s.labels[name] = strings.TrimSuffix(labels, "}")
		return
	}
	s.values[name] = v
}
