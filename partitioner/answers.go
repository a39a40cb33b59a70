package partitioner

import "slices"

// Answers returns the modules of m's class that run later in an execution that opens m: modules opened by
// messages that return to the peer after m has sent something, possibly through other peers.
func (p *Program) Answers(part *Partition, m *Module) (list []*Module) {
	seen := map[*Module]bool{m: true}
	for queue := []*Module{m}; len(queue) > 0; queue = queue[1:] {
		for _, e := range queue[0].sends() {
			for _, to := range p.opened(e) {
				if seen[to] {
					continue
				}
				seen[to] = true
				queue = append(queue, to)
				if e.To == part.Class && slices.Contains(e.Origins, part.Class) {
					list = append(list, to)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b *Module) int { return slices.Index(part.Modules, a) - slices.Index(part.Modules, b) })
	return list
}

// opened returns the modules that a fill of an edge opens.
func (p *Program) opened(e *Edge) (list []*Module) {
	for _, part := range p.Parts {
		if part.Class != e.To {
			continue
		}
		for _, m := range part.Modules {
			if top := m.top(); !top.opensItself() && slices.Contains(m.fills(), e) && !slices.Contains(list, top) {
				list = append(list, top)
			}
		}
	}
	return list
}

// top returns the module that m is a child of, or m itself.
func (m *Module) top() *Module {
	if m.Parent != nil {
		return m.Parent
	}
	return m
}
