package partitioner

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// table returns the statistics of each stage.
func (s *splitter) table() *Stages {
	out := &Stages{Stages: make([]Stage, s.opt.Stages), Assumed: s.assumed}
	have := map[crossing]bool{}
	for i := range s.nodes {
		k := s.stage[i]
		st := &out.Stages[k]
		st.Class = s.opt.name(k)
		st.Nodes++
		st.FLOPs += s.flops[i]
		for _, v := range s.consts[i] {
			if !have[crossing{v, k}] {
				have[crossing{v, k}] = true
				st.Weights += constBytes(v)
			}
		}
	}
	for _, x := range s.crossed() {
		size := s.bytes(x.v)
		out.Stages[s.stageOf(x.v)].BytesOut += size
		out.Stages[x.to].BytesIn += size
	}
	s.arenas(out)
	return out
}

// arenas computes the largest number of bytes that live at the same time in each stage.
func (s *splitter) arenas(out *Stages) {
	live := make([]int64, len(s.nodes)+1) // the change before each node
	for v, d := range s.def {
		last, read := s.last[v]
		if d < 0 || !read {
			continue
		}
		end := min(last, s.endOf(s.stage[d]))
		live[d] += s.bytes(v)
		live[end+1] -= s.bytes(v)
	}
	var now int64
	for i := range s.nodes {
		now += live[i]
		st := &out.Stages[s.stage[i]]
		st.Arena = max(st.Arena, now)
	}
}

// endOf returns the last node of a stage.
func (s *splitter) endOf(stage int) int {
	for i := len(s.stage) - 1; i >= 0; i-- {
		if s.stage[i] == stage {
			return i
		}
	}
	return 0
}

// String returns the cut as a table.
func (s *Stages) String() string {
	var total float64
	for _, st := range s.Stages {
		total += st.FLOPs
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "stage\tnodes\tFLOPs\t\tweights\tarena\tin per run\tout per run\t")
	for _, st := range s.Stages {
		share := 0.0
		if total > 0 {
			share = 100 * st.FLOPs / total
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%.1f%%\t%s\t%s\t%s\t%s\t\n", st.Class, st.Nodes, count(st.FLOPs), share,
			Bytes(st.Weights), Bytes(st.Arena), Bytes(st.BytesIn), Bytes(st.BytesOut))
	}
	w.Flush()
	out.WriteString(sizes("assumed: ", s.Assumed))
	return out.String()
}
