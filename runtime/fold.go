package runtime

import "slices"

// fold is the contributions to a GatherCut that a command takes. Each command has its own: several may take
// those of one gather at the same time.
type fold struct {
	gather   int
	children []*Frame  // the contributions
	refused  []refusal // those that the command has refused
}

// refusal is a contribution that a command has refused, and the reason.
type refusal struct {
	from *peer
	why  error
}

// Contributed records the contributions to a GatherCut, for a command that is about to run and takes them with
// [Fold].
func (f *Frame) Contributed(command, gather int) {
	if f.folds == nil {
		f.folds = make([][]fold, len(f.module.Cuts)) // a list that does not move while commands run
	}
	l := f.fold(command, gather)
	if l == nil {
		f.folds[command] = append(f.folds[command], fold{gather: gather})
		l = f.fold(command, gather)
	}
	l.children, l.refused = l.children[:0], l.refused[:0]
	for _, c := range f.gather(gather).children {
		if c.ended && !c.broken {
			l.children = append(l.children, c)
		}
	}
}

func (f *Frame) fold(command, gather int) *fold {
	list := f.folds[command]
	i := slices.IndexFunc(list, func(l fold) bool { return l.gather == gather })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Fold calls take with each contribution to a GatherCut, in the order of the peers' classes and ranks.
// Contributions that take refuses are left out of the gather when the command has ended: see [Node.LeaveOut].
func Fold(f *Frame, command, gather int, take func(Body) error) {
	l := f.fold(command, gather)
	for _, c := range l.children {
		if err := take(c.body); err != nil {
			l.refused = append(l.refused, refusal{c.from, err})
		}
	}
}

// leaveOutRefused leaves out the contributions that a command of a frame has refused. It returns an error when
// too few are left.
func (n *Node) leaveOutRefused(f *Frame, command int) (few error) {
	if f.folds == nil {
		return nil
	}
	for _, l := range f.folds[command] {
		for _, r := range l.refused {
			if err := n.LeaveOut(f, l.gather, r.from.id, r.why); err != nil {
				few = err
			}
		}
	}
	f.forgetFolds(command)
	return few
}

// forgetFolds removes the contributions that a command has taken. The frame keeps the memory of the list.
func (f *Frame) forgetFolds(command int) {
	for i := range f.folds[command] {
		l := &f.folds[command][i]
		clear(l.children)
		clear(l.refused)
		l.children, l.refused = l.children[:0], l.refused[:0]
	}
}
