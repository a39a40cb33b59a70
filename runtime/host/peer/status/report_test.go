package status

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// sample returns a report of a peer that has run for some time.
func sample() *Report {
	r := &Report{Name: "server-0", Program: "<program>", Kernels: "avx2", Status: &Status{State: "running", Latest: 7}, Stats: runtime.Stats{Frames: 3},
		Peers:    []PeerStatus{{Name: "cl\"ient-4", Up: true, In: 5 << 20, RoundTrip: time.Millisecond}, {Name: "client-5", Trouble: "it is gone"}},
		Emitted:  []Number{{Name: "loss", Value: 0.25, Round: 1}},
		Counters: []Number{{Name: "jobs", Value: 41}}, Records: []Number{{Name: "sizes", Value: 3, Count: 2}}, History: &History{}, Spans: &Spans{Sent: 12, Dropped: 3}}
	r.Telemetry.RTT.Add(3e6)
	r.Telemetry.Fill.Add(4096)
	return r
}

// shown returns all parts of a report's page.
func shown(r *Report) string {
	var b strings.Builder
	for _, x := range r.Page().Parts {
		b.WriteString(x.HTML)
	}
	return b.String()
}

// TestManyPeers lists a part of very many peers: those with problems come first.
func TestManyPeers(t *testing.T) {
	r := &Report{Status: &Status{}, History: &History{}}
	for i := range maxRows + 50 {
		p := PeerStatus{Name: fmt.Sprintf("client-%d", i), Up: i%2 == 0}
		if !p.Up {
			p.Trouble = "it is gone"
			r.Status.Missing = append(r.Status.Missing, p.Name)
		}
		r.Peers = append(r.Peers, p)
	}
	got := shown(r)
	if n := strings.Count(got, "it is gone"); n != 125 {
		t.Errorf("%d missing peers are listed, want all 125", n)
	}
	if !strings.Contains(got, "… and 50 more") || !strings.Contains(got, ">client-0<") || strings.Contains(got, ">client-248<") || !strings.Contains(got, "client-99 and 75 more") {
		t.Errorf("the page is %s", got)
	}
	if r.Peers[0].Name != "client-0" {
		t.Error("the report is in another order")
	}
}

// Every line of the metrics is one that Prometheus reads.
func TestMetricsText(t *testing.T) {
	var b strings.Builder
	writeMetrics(&b, sample())
	kind := map[string]bool{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(rest, " ")
			if kind[name] {
				t.Errorf("%s is there twice", name)
			}
			kind[name] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		name, _, _ := strings.Cut(line, " ")
		name, _, _ = strings.Cut(name, "{")
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if whole, ok := strings.CutSuffix(name, part); ok && kind[whole] {
				name = whole
			}
		}
		if !kind[name] {
			t.Errorf("%s comes before its type", line)
		}
		var v float64
		if err := json.Unmarshal([]byte(line[strings.LastIndexByte(line, ' ')+1:]), &v); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
