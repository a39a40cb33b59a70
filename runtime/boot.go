package runtime

import "slices"

// Unbooted returns the names of the modules with Bootstrap that wait for inputs of the host. No other module
// runs until each of them has been invoked and has ended.
func (n *Node) Unbooted() (names []string) {
	for _, i := range n.unbooted {
		names = append(names, n.modules[i].Name)
	}
	return names
}

// mustBoot returns the modules that wait for inputs of the host when the Node starts.
func mustBoot(modules []module) (list []int) {
	for i, m := range modules {
		if m.Bootstrap && len(m.Inputs) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// mayInvoke reports whether the host may invoke a module now. During the bootstrap it may invoke only the
// modules that the bootstrap waits for.
func (n *Node) mayInvoke(module int) bool {
	return n.phase == phaseRunning || n.phase < phaseRunning && slices.Contains(n.unbooted, module)
}

// booted records that a module has been invoked.
func (n *Node) booted(module int) {
	n.unbooted = slices.DeleteFunc(n.unbooted, func(i int) bool { return i == module })
}

// recallBoots finds the modules that were invoked before a restart: those with executions that live or have
// ended.
func (n *Node) recallBoots() {
	for f := n.first; f != nil; f = f.next {
		n.booted(f.module.index)
	}
	for i := range n.histories.own.Len() {
		n.booted((*n.histories.own.At(i)).of.key.module)
	}
	if n.phase >= phaseRunning {
		n.unbooted = nil
	}
}

// waitsToBoot calls yield with each input that a bootstrap waits for, until yield returns false.
func (n *Node) waitsToBoot(yield func(*Wait) bool) bool {
	for _, i := range n.unbooted {
		m := &n.modules[i]
		for _, c := range m.Inputs {
			if !yield(&Wait{Module: m.Name, Cut: m.Cuts[c].Name, Kind: InputCut}) {
				return false
			}
		}
	}
	return true
}
