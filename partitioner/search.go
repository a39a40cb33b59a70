package partitioner

import "math"

// goal is a quantity to minimize, to which each stage and each edge adds.
type goal struct {
	stage func(sum, seconds float64) float64
	edge  func(sum, seconds float64) float64
}

func keep(sum, _ float64) float64 { return sum }

func plus(sum, x float64) float64 { return sum + x }

// The goals of a cut, in order of priority.
var (
	slowestPart  = goal{math.Max, math.Max}
	slowestStage = goal{math.Max, keep}
	leastSent    = goal{keep, plus}
)

// best returns the end of each stage, or nil if no cut is possible. It first minimizes the time of the
// slowest part, stage or edge; then, with edges no slower than that, the time of the slowest stage; then,
// among the cuts with a slowest stage within the target's slack and such edges, the traffic.
func (s *splitter) best() []int {
	none := math.Inf(1)
	part, ends := s.search(slowestPart, none, none)
	if ends == nil {
		return nil
	}
	stage, _ := s.search(slowestStage, none, part)
	_, ends = s.search(leastSent, stage*s.opt.Target.Limits.Slack, part)
	return ends
}

// search finds the best cut with stages and edges that take at most the given times, by dynamic programming: the
// best cut of the first j nodes into k+1 stages is the best cut of the first i nodes into k stages, for some
// i, followed by a stage from i to j.
//
// NB: quadratic in the number of nodes, for each stage.
func (s *splitter) search(g goal, stage, edge float64) (float64, []int) {
	n := len(s.nodes)
	at := make([][]float64, s.opt.Stages+1) // at[k][j]: the first j nodes in k stages
	from := make([][]int, s.opt.Stages+1)
	for k := range at {
		at[k], from[k] = make([]float64, n+1), make([]int, n+1)
		for j := range at[k] {
			at[k][j] = math.Inf(1)
		}
	}
	at[0][0] = 0
	for i := range n {
		if s.cross[i] > edge || math.IsInf(s.cross[i], 1) {
			continue
		}
		seconds, bytes := 0.0, memory{}
		for j := i + 1; j <= n; j++ {
			seconds += s.seconds[j-1]
			bytes.add(s.memory[j-1])
			if seconds > stage || s.opt.PeerMemory > 0 && bytes.sum() > s.opt.PeerMemory {
				break
			}
			for k := range s.opt.Stages {
				if c := g.stage(g.edge(at[k][i], s.cross[i]), seconds); c < at[k+1][j] {
					at[k+1][j], from[k+1][j] = c, i
				}
			}
		}
	}
	if math.IsInf(at[s.opt.Stages][n], 1) {
		return math.Inf(1), nil
	}
	ends := make([]int, s.opt.Stages)
	for k, j := s.opt.Stages, n; k > 0; k-- {
		ends[k-1] = j
		j = from[k][j]
	}
	return at[s.opt.Stages][n], ends
}
