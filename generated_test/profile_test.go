package generated

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
)

// recorder records the reports of a run.
type recorder struct {
	begun []int // by node: the number of its begins
	order bool  // the nodes were reported in their order
	ends  int
}

func (r *recorder) Begin(node, flops, bytes int) {
	for len(r.begun) <= node {
		r.begun = append(r.begun, 0)
	}
	r.begun[node]++
	r.order = r.order && node == len(r.begun)-1 && r.begun[node] == 1
}

func (r *recorder) End() { r.ends++ }

// TestProfile runs each package like a profile does. The results must be the same, and every node must be
// reported; without control flow, once and in order.
func TestProfile(t *testing.T) {
	flow := map[string]bool{"anyrank": true, "branch": true, "loop": true, "scan": true}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.program.New()
			if err != nil {
				t.Fatal(err)
			}
			nodes := s.(model.Profiled).Profiled()
			for _, in := range c.inputs {
				r := &recorder{order: true}
				run := func() error { return s.(model.Profiled).Profile(r) }
				if err := runOne(graph(t, c.name), c.program, s, run, in); err != nil {
					t.Fatal(err)
				}
				if r.ends != 1 || len(r.begun) > len(nodes) || !flow[c.name] && (!r.order || len(r.begun) != len(nodes)) {
					t.Errorf("%d nodes: begun %v times, ended %d times", len(nodes), r.begun, r.ends)
				}
			}
		})
	}
}
