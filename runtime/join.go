package runtime

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/random"
)

// Join makes one partition of several partitions of a program, for a peer that runs them all on one Node, with
// one key and one address. Messages between them are treated like all other messages. The peer belongs to all
// their classes.
func Join(parts ...*Partition) (*Partition, error) {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b *Partition) int { return cmp.Compare(a.Class, b.Class) })
	if len(parts) == 0 {
		return nil, fmt.Errorf("runtime: nothing to join")
	}
	j := joiner{Partition: Partition{Fingerprint: parts[0].Fingerprint, Edges: slices.Clone(parts[0].Edges)}, names: map[string]int{}}
	for i := range j.Edges {
		j.Edges[i].Receives = false
	}
	var names []string
	for _, p := range parts {
		if slices.Contains(names, p.Class) {
			return nil, fmt.Errorf("runtime: join: there are two targets of class %s, want one", p.Class)
		}
		names = append(names, p.Class)
		for i := range p.Modules {
			j.names[p.Modules[i].Name]++
		}
	}
	for _, p := range parts {
		if err := j.add(p); err != nil {
			return nil, fmt.Errorf("runtime: join %s and %s: %w", parts[0].Class, p.Class, err)
		}
	}
	j.Class = classes.Join(names...)
	return &j.Partition, nil
}

// JoinIn joins the partitions that the functions make, in the order of the class names of the peer. Each
// function gets the Env of its own class.
func JoinIn(env Env, targets ...func(Env) (*Partition, error)) (*Partition, error) {
	names := classes.Split(env.Class)
	if len(names) != len(targets) {
		return nil, fmt.Errorf("runtime: join: %d targets for a peer of class %s", len(targets), env.Class)
	}
	var parts []*Partition
	for i, target := range targets {
		env.Class = names[i]
		p, err := target(env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", env.Class, err)
		}
		parts = append(parts, p)
	}
	return Join(parts...)
}

// joiner adds partitions to one.
type joiner struct {
	Partition
	names   map[string]int // of modules: how many partitions have one of the name
	targets int            // that have been added
}

// add adds a partition. Its numbers are shifted behind those of the partitions before it.
func (j *joiner) add(p *Partition) error {
	if err := j.addEdges(p); err != nil {
		return err
	}
	j.addComponents(p, len(j.Slots))
	j.addModules(p, len(j.Slots))
	for _, s := range p.Slots {
		j.Slots = append(j.Slots, p.Class+"."+s)
	}
	j.Stores = append(j.Stores, p.Stores...)
	j.Schema = random.Mix(j.Schema ^ p.Schema)
	j.targets++
	return nil
}

// addEdges makes the edges that p receives lead to its modules and components, which are not added yet.
func (j *joiner) addEdges(p *Partition) error {
	if !bytes.Equal(p.Fingerprint, j.Fingerprint) || len(p.Edges) != len(j.Edges) {
		return fmt.Errorf("%w: %x and %x: build both from one program", ErrProgram, j.Fingerprint, p.Fingerprint)
	}
	for i, e := range p.Edges {
		if e.ID != j.Edges[i].ID {
			return fmt.Errorf("%w: their edges are not the same", ErrProgram)
		}
		if e.Receives {
			e.Module += len(j.Modules)
			e.Collective = e.Collective.shifted(len(j.Components))
			j.Edges[i] = e
		}
	}
	return nil
}

// addModules adds modules whose slots come after the given number of others.
func (j *joiner) addModules(p *Partition, slots int) {
	base := len(j.Modules)
	for _, m := range p.Modules {
		if j.names[m.Name] > 1 {
			m.Name = p.Class + "." + m.Name
		}
		m.target, m.base = j.targets, base
		m.Parent += base
		m.Answers = slices.Clone(m.Answers)
		for a := range m.Answers {
			m.Answers[a] += base
		}
		m.Cuts = slices.Clone(m.Cuts)
		for c := range m.Cuts {
			m.Cuts[c].Slot += slots
		}
		j.Modules = append(j.Modules, m)
	}
}

// addComponents adds components whose slots come after the given number of others.
func (j *joiner) addComponents(p *Partition, slots int) {
	for i := range p.Components {
		slot := -1
		if i < len(p.Commanded) && p.Commanded[i] >= 0 {
			slot = slots + p.Commanded[i]
		}
		j.Commanded = append(j.Commanded, slot)
	}
	j.Components = append(j.Components, p.Components...)
}
