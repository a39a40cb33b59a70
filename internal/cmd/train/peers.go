package train

import (
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
)

// maxTrainers is the largest number of processes that train together on this machine.
const maxTrainers = 256

// peers describes the processes that share each batch: on this machine, or one on each of several machines.
type peers struct {
	given string // the value of the flag
	key   string // file with this machine's key, if there are several machines
	count int    // 0: a single process
	here  bool   // all processes are on this machine
}

func (p *peers) add(f *pflag.FlagSet) {
	f.StringVar(&p.given, "peers", "", "train with so many processes here, of which each has a part of every batch: the `number`; or with those on other machines that a file lists, as peers' flag -peers has it")
	f.StringVar(&p.key, "key", "", "with a file of --peers: this machine's private key is in `FILE`")
}

// check interprets the flag, for a loss with the given reduction.
func (p *peers) check(reduction string) (err error) {
	if p.given == "" {
		if p.key != "" {
			return cli.Usagef("--key is for --peers FILE, whose machines identify each other by keys")
		}
		return nil
	}
	if reduction == "sum" {
		return cli.Usagef("--reduction sum does not go with --peers, which take the mean of what they have: scale the learning rate instead")
	}
	if p.count, err = strconv.Atoi(p.given); err != nil {
		list, err := readRoster(p.given)
		p.count = len(list)
		return err
	}
	p.here = true
	switch {
	case p.count < 1 || p.count > maxTrainers:
		return cli.Usagef("--peers is %d, want a number of processes from 1 to %d", p.count, maxTrainers)
	case p.key != "":
		return cli.Usagef("--key is for --peers FILE: processes on one machine make keys of their own")
	}
	return nil
}

// shared returns the flags that all peers have in common, up to those of the training.
func (p *peers) shared() []string {
	return []string{"-await", dataparallel.Class + "=" + strconv.Itoa(p.count-1), "-log", "none", "--"}
}

// host returns the package below runtime/host that runs the trainer.
func (p *peers) host() string {
	if p.count > 0 {
		return "dataparallel"
	}
	return "train"
}

// train runs the peers, or this machine's peer.
func (j *job) train(bin, dir string, args []string) error {
	switch {
	case j.peers.count == 0:
		return j.runPeer(bin, append(args, "-until-eof"))
	case j.peers.here:
		return j.runTogether(bin, dir, args)
	}
	member, err := j.peers.member()
	if err != nil {
		return err
	}
	return j.runPeer(bin, slices.Concat(member, args, []string{"-until-eof"}))
}
