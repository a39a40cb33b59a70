package bbgen

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/partitioner"
)

// loadComponents loads the Go types that are bound to the slots of a program.
func (c *compilation) loadComponents() (err error) {
	if c.types, err = bind.Load(c.Modules[0], c.Cut.Dir); err == nil {
		c.bound = c.types.Text(c.Modules[0])
	}
	return err
}

// cut cuts a program at its network edges.
func (c *compilation) cut() (err error) {
	opt := partitioner.Options{Unbound: c.Cut.Unbound, Target: c.For()}
	if c.types != nil {
		opt.Command = c.types.Command
	}
	c.Program, err = partitioner.Make(c.Modules[0], opt)
	if err != nil || c.Cut.Check == nil {
		return err
	}
	return c.Cut.Check(c.Program)
}

// printProgram generates a package for each class of peers. With an import path, it also generates a program for
// each class, and in sim one that runs all peers in one process.
func (c *compilation) printProgram() error {
	var targets []codegen.Target
	for _, p := range c.Peers {
		class := p.Part.Class
		switch class {
		case "sim":
			return fmt.Errorf("%s: a class is called sim, which is the folder of the simulation: choose another name", c.Source)
		case "vendor":
			return fmt.Errorf("%s: a class is called vendor, which Go keeps for other modules' packages: choose another name", c.Source)
		}
		files, err := codegen.GeneratePartition(p, codegen.Options{Package: "partition", Source: c.Source, PackageNames: c.types.PackageNames()})
		if err != nil {
			return err
		}
		c.put(path.Join(class, "partition"), files)
		targets = append(targets, c.target(class))
	}
	for _, list := range c.Cut.Joins {
		if err := c.checkJoin(list); err != nil {
			return err
		}
		targets = append(targets, c.target(list...))
	}
	if c.Import == "" {
		return nil
	}
	if len(c.Hosts) == 0 {
		return fmt.Errorf("%s: the programs of peers need a network, there is none in Hosts", c.Source)
	}
	return c.printMains(targets)
}

// placePeers decides what the peers of each class keep, and where.
func (c *compilation) placePeers() error {
	var wrong []error // collected over all classes, as each attempt takes long
	for _, p := range c.Program.Parts {
		plan, err := c.placePeer(p)
		wrong = append(wrong, err)
		if err == nil {
			c.Warnings = append(c.Warnings, plan.Unshaped()...)
		}
		c.Peers = append(c.Peers, plan)
	}
	return errors.Join(wrong...)
}

// placePeer plans the peers of one class. It first generates the packages of the models in its slots, as the
// plan depends on their methods.
func (c *compilation) placePeer(p *partitioner.Partition) (*peerplan.Plan, error) {
	models, err := c.printModels(p)
	if err != nil {
		return nil, err
	}
	components, err := c.types.Components(p, models)
	if err != nil {
		return nil, err
	}
	return peerplan.Make(p, components)
}

// printMains generates the programs: one for each target, and one that simulates all peers.
func (c *compilation) printMains(targets []codegen.Target) error {
	for _, t := range targets {
		main, err := codegen.PeerMain(c.Program.Name, c.classes(), t, c.Hosts)
		if err := c.putMain(t.Class(), main, err); err != nil {
			return err
		}
	}
	main, err := codegen.SimMain(c.Program.Name, targets)
	return c.putMain("sim", main, err)
}

// target returns the target of a peer that runs the given classes.
func (c *compilation) target(classes ...string) codegen.Target {
	t := codegen.Target{Classes: slices.Sorted(slices.Values(classes))}
	for _, class := range t.Classes {
		t.Packages = append(t.Packages, path.Join(c.Import, class, "partition"))
	}
	return t
}

// classes returns the classes of the program.
func (c *compilation) classes() []string {
	var all []string
	for _, p := range c.Program.Parts {
		all = append(all, p.Class)
	}
	return all
}

// checkJoin returns an error if one peer cannot run the given classes together.
func (c *compilation) checkJoin(classes []string) error {
	all, name := c.classes(), strings.Join(classes, "+")
	for i, class := range classes {
		if !slices.Contains(all, class) {
			return fmt.Errorf("join %s: there is no class %q; there are: %s", name, class, strings.Join(all, ", "))
		}
		if slices.Contains(classes[:i], class) {
			return fmt.Errorf("join %s: %s stands there twice", name, class)
		}
	}
	if len(classes) < 2 {
		return fmt.Errorf("join %s: want two classes at least, as in client+server", name)
	}
	return nil
}
