package status

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/telemetry"
)

// TestPages shows what the page, the metrics and the status say of a report. The section report is a report as JSON;
// a line of the section history is something that happened before: "number NAME ROUND VALUE", "traffic SECOND IN OUT"
// or "event TEXT", or "alert TEXT" for a problem. A line "EDGE MODULE BLOCK" of the section edges says which block
// reads an edge first.
func TestPages(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		r := &Report{Status: &Status{}}
		d := json.NewDecoder(strings.NewReader(a.Get("report")))
		d.DisallowUnknownFields()
		if err := d.Decode(r); err != nil {
			t.Fatal(err)
		}
		r.History = happened(t, a)
		place(t, a, r.Picture)
		r.Telemetry = measured(r.Uptime)
		for _, part := range r.Page().Parts {
			if name := "out/page/" + part.ID; a.Has(name) {
				a.Check(name, part.HTML)
			}
		}
		h := NewHandler(8, false, "", func(context.Context) *Report { return r })
		for _, path := range []string{"metrics", "status"} {
			if a.Has("out/" + path) {
				code, _, body := get(h, "/"+path)
				if code != 200 {
					t.Errorf("%s: the code is %d", path, code)
				}
				body, _, _ = strings.Cut(body, "# HELP go_") // the rest is about this process
				a.Check("out/"+path, strings.ReplaceAll(body, `,"`, ",\n\""))
			}
		}
	})
}

// measured returns measurements of a peer that has run for some time.
func measured(uptime time.Duration) (m telemetry.Telemetry) {
	for i := range int64(uptime / time.Second) {
		m.RTT.Add(1e6 * (1 + i%10))
		m.Fill.Add(4096 << (i % 3))
	}
	return m
}

func happened(t *testing.T, a *golden.Archive) *History {
	y := &History{}
	if !a.Has("history") {
		return y
	}
	for line := range strings.Lines(a.Get("history")) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var name string
		var at, in, out float64
		var err error
		switch kind {
		case "number":
			if _, err = fmt.Sscan(rest, &name, &at, &in); err == nil {
				y.Number(name, uint64(at), in)
			}
		case "traffic":
			if _, err = fmt.Sscan(rest, &at, &in, &out); err == nil {
				y.Traffic(at, in, out)
			}
		case "event", "alert":
			y.Event(time.Unix(0, 0).UTC(), kind == "alert", rest)
		default:
			err = fmt.Errorf("what is %s?", kind)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return y
}

func place(t *testing.T, a *golden.Archive, p *Picture) {
	if !a.Has("edges") {
		return
	}
	for line := range strings.Lines(a.Get("edges")) {
		var name string
		var module, block int
		if _, err := fmt.Sscan(line, &name, &module, &block); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for i := range p.Edges {
			if p.Edges[i].Name == name {
				p.Edges[i].Module, p.Edges[i].Block = module, block
			}
		}
	}
}
