package recompute

// set contains the values that are dropped after the forward pass, by number.
type set []bool

// schedule is the order of the nodes if some values are recomputed.
type schedule struct {
	*graph
	again     set
	steps     []step
	until     []int  // by value: the last step that reads the original, or its definition
	copied    []int  // by value: the step that recomputes it, or -1
	copyUntil []int  // by value: the last step that reads the copy
	bad       bool   // a node would be recomputed from a state that has changed
	stale     []bool // by state: a step has changed it
}

// step is one run of a node.
type step struct {
	node int
	copy bool // the second run
}

// schedule places the second run of a node right before the first step of the backward pass that needs a
// result of it, preceded by the runs that it depends on.
func (g *graph) schedule(again set) *schedule {
	n := len(g.values)
	of := make([]int, 3*n)
	s := &schedule{
		graph: g, again: again, steps: make([]step, 0, 2*len(g.nodes)),
		until: of[:n], copied: of[n : 2*n], copyUntil: of[2*n:],
	}
	for v := range g.values {
		s.until[v], s.copied[v], s.copyUntil[v] = -1, -1, -1
	}
	for i := range g.nodes {
		s.run(i, false)
	}
	for v, x := range g.values {
		if x.late {
			s.read(v, len(s.steps)-1, true)
		}
	}
	return s
}

// run appends a run of node i, after the runs that it depends on.
func (s *schedule) run(i int, copy bool) {
	n := &s.nodes[i]
	backward := copy || i > s.loss
	if backward {
		for _, v := range n.in {
			if s.dropped(v) && s.copied[v] < 0 {
				s.run(s.values[v].def, true)
			}
		}
	}
	at := len(s.steps)
	s.steps = append(s.steps, step{i, copy})
	for _, v := range n.in {
		s.read(v, at, !backward || !s.dropped(v))
	}
	for _, v := range n.out {
		if copy {
			s.copied[v], s.copyUntil[v] = at, at
		} else {
			s.until[v] = at
		}
	}
	s.watch(n, copy)
}

// dropped reports whether the backward pass recomputes v.
func (s *schedule) dropped(v int) bool { return s.again[v] && s.values[v].def <= s.loss }

// read records that a step reads a value, or its copy.
func (s *schedule) read(v, at int, original bool) {
	if original {
		s.until[v] = max(s.until[v], at)
	} else {
		s.copyUntil[v] = max(s.copyUntil[v], at)
	}
}

// watch records that a second run reads a state that has changed.
func (s *schedule) watch(n *node, copy bool) {
	for _, x := range n.states {
		s.bad = s.bad || copy && x < len(s.stale) && s.stale[x]
	}
	for _, x := range n.changes {
		for len(s.stale) <= x {
			s.stale = append(s.stale, false)
		}
		s.stale[x] = true
	}
}

// memory returns the number of bytes in use at each step.
func (s *schedule) memory() []int {
	use := make([]int, len(s.steps)+1)
	live := func(from, to, bytes int) {
		use[from] += bytes
		use[to+1] -= bytes
	}
	for k, st := range s.steps {
		n := &s.nodes[st.node]
		use[k] += n.temps
		use[k+1] -= n.temps
		for _, v := range n.out {
			if st.copy {
				live(k, s.copyUntil[v], s.values[v].bytes)
			} else {
				live(k, s.until[v], s.values[v].bytes)
			}
		}
		if x := s.overwritten(n, k, st.copy); x >= 0 {
			use[k] -= s.values[x].bytes
			use[k+1] += s.values[x].bytes
		}
	}
	for k := 1; k < len(use); k++ {
		use[k] += use[k-1]
	}
	return use[:len(s.steps)]
}

// overwritten returns the input that the result of a step overwrites, or -1.
func (s *schedule) overwritten(n *node, at int, copy bool) int {
	if len(n.out) == 0 {
		return -1
	}
	for _, v := range n.over {
		end := s.until[v]
		if s.dropped(v) && s.copied[v] >= 0 && s.copied[v] < at {
			end = s.copyUntil[v]
		}
		if end == at && s.values[v].bytes == s.values[n.out[0]].bytes {
			return v
		}
	}
	return -1
}
