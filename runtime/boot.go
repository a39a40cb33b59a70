package runtime

import "slices"

// NotBooted returns the names of the modules with Bootstrap that wait for inputs of the host. Before each of
// them has been invoked and has ended, no other module runs.
func (n *Node) NotBooted() (names []string) {
	for _, i := range n.unbooted {
		names = append(names, n.modules[i].Name)
	}
	return names
}

// Bootstraps returns the names of the modules with Bootstrap. The host may invoke each of them again while
// the Node runs. Until these executions have ended no others begin: messages of peers wait, ticks of timers
// are skipped, and other invocations are refused. Executions that have begun continue with the values that
// they have.
func (n *Node) Bootstraps() (names []string) {
	for i := range n.modules {
		if n.modules[i].Bootstrap {
			names = append(names, n.modules[i].Name)
		}
	}
	return names
}

// reboot records f if it is an execution of a bootstrap that the host has begun again.
func (n *Node) reboot(f *Frame) {
	if f.module.Bootstrap && f.exec.Origin == n.self.id && n.phase == phaseRunning {
		n.rebooting = append(n.rebooting, f.ref())
	}
}

// reopen delivers the waiting messages when all repeated bootstraps have ended.
func (n *Node) reopen() {
	if len(n.rebooting) == 0 {
		return
	}
	if n.rebooting = slices.DeleteFunc(n.rebooting, frameRef.ended); len(n.rebooting) == 0 {
		n.readEarly()
	}
}

// mustBoot returns the indices of the modules that wait for inputs of the host when the Node starts.
func mustBoot(modules []module) (list []int) {
	for i, m := range modules {
		if m.Bootstrap && len(m.Inputs) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// mayInvoke reports whether the host may invoke a module now. Until the bootstrap has ended, these are the
// modules that wait for inputs of the host; while a bootstrap runs again, only modules with Bootstrap.
func (n *Node) mayInvoke(module int) bool {
	switch {
	case n.phase < phaseRunning:
		return slices.Contains(n.unbooted, module)
	case n.phase > phaseRunning:
		return false
	}
	return n.modules[module].Bootstrap || len(n.rebooting) == 0
}

// booted records that a module with Bootstrap has been invoked.
func (n *Node) booted(module int) {
	n.unbooted = slices.DeleteFunc(n.unbooted, func(i int) bool { return i == module })
}

// restoreBoots finds the modules that were invoked before a restart: those with executions that run or have
// ended.
func (n *Node) restoreBoots() {
	for f := n.first; f != nil; f = f.next {
		n.booted(f.module.index)
		n.reboot(f)
	}
	for i := range n.histories.own.Len() {
		n.booted((*n.histories.own.At(i)).of.key.module)
	}
	if n.phase >= phaseRunning {
		n.unbooted = nil
	}
}

// bootWaits calls yield for each input of the host that a bootstrap waits for, until yield returns false.
func (n *Node) bootWaits(yield func(*Wait) bool) bool {
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
