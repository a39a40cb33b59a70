package train

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
	"github.com/bbgen/bbgen/runtime/host/pipeline"
)

// maxTrainers is the largest number of processes that train together on this machine.
const maxTrainers = 256

// peers describes processes that train together: on this machine, or one on each of several machines.
type peers struct {
	flag  string // whose value is given: peers or stages
	class string // of the processes
	given string
	key   string // file with this machine's key, if there are several machines
	count int    // 0: a single process
	here  bool   // all processes are on this machine

	endsWithOne bool     // the others cannot continue without a lost process
	own         []string // flags of the processes, before those of the training
}

// addGroups declares the flags of both kinds of groups: those that share each batch, and the stages of the model.
func (j *job) addGroups(f *pflag.FlagSet) {
	j.peers = peers{flag: "peers", class: dataparallel.Class}
	j.stages = peers{flag: "stages", class: pipeline.Class, endsWithOne: true}
	f.StringVar(&j.peers.given, "peers", "", "train with so many processes here, of which each has a part of every batch: the `number`; or with those on other machines that a file lists, as peers' flag -peers has it")
	f.StringVar(&j.stages.given, "stages", "", "cut the model into so many stages of balanced cost, each a process here: the `number`; or those on other machines that a file lists")
	f.IntVar(&j.micros, "micro-batches", 0, "with --stages: in how many `parts` each batch flows through the stages (default two for each stage)")
	f.Var(&j.bandwidth, "bandwidth", "with --stages: of the network between them, as in 100Mbit or 10MB a second (default 1Gbit, and more here)")
	f.StringVar(&j.key, "key", "", "with a file of --peers or --stages: this machine's private key is in `FILE`")
}

// checkGroups interprets the flags of both kinds of groups.
func (j *job) checkGroups() error {
	switch {
	case j.peers.given != "" && j.stages.given != "":
		return cli.Usagef("--peers divides each batch and --stages the model: give one or the other")
	case j.key != "" && j.peers.given == "" && j.stages.given == "":
		return cli.Usagef("--key is for --peers FILE or --stages FILE, whose machines identify each other by keys")
	case j.cmd.Flags().Changed("micro-batches") && j.stages.given == "":
		return cli.Usagef("--micro-batches is for the stages of --stages: give that, too")
	case j.bandwidth > 0 && j.stages.given == "":
		return cli.Usagef("--bandwidth is of the network between the stages of --stages: give that, too")
	case j.micros < 0 || j.micros == 0 && j.cmd.Flags().Changed("micro-batches"):
		return cli.Usagef("--micro-batches is %d, want 1 or more", j.micros)
	}
	j.peers.key, j.stages.key = j.key, j.key
	j.peers.own = []string{"-log", "none"}
	if j.micros > 0 {
		j.stages.own = []string{"-micro-batches", strconv.Itoa(j.micros)}
	}
	if err := errors.Join(j.peers.check(j.how.reduction), j.stages.check(j.how.reduction)); err != nil {
		return err
	}
	j.peers.own = append(j.peers.own, "-await", j.peers.class+"="+strconv.Itoa(j.peers.count-1))
	if j.stages.given != "" && j.stages.count < 2 {
		return cli.Usagef("--stages is %d, want 2 or more", j.stages.count)
	}
	for _, name := range []string{"codec", "shard-optimizer", "shard-replicas"} {
		if j.stages.given != "" && j.cmd.Flags().Changed(name) {
			return cli.Usagef("--%s is for processes that share each batch (--peers), not for --stages", name)
		}
	}
	return nil
}

// group returns the processes that train together.
func (j *job) group() *peers {
	if j.stages.count > 0 {
		return &j.stages
	}
	return &j.peers
}

// check interprets the flag, for a loss with the given reduction.
func (p *peers) check(reduction string) (err error) {
	if p.given == "" {
		return nil
	}
	if reduction == "sum" {
		return cli.Usagef("--reduction sum does not go with --%s, which take the mean of what they have: scale the learning rate instead", p.flag)
	}
	if p.count, err = strconv.Atoi(p.given); err != nil {
		list, err := readRoster(p)
		p.count = len(list)
		return err
	}
	p.here = true
	switch {
	case p.count < 1 || p.count > maxTrainers:
		return cli.Usagef("--%s is %d, want a number of processes from 1 to %d", p.flag, p.count, maxTrainers)
	case p.key != "":
		return cli.Usagef("--key is for --%s FILE: processes on one machine make keys of their own", p.flag)
	}
	return nil
}

// shared returns the flags that all processes have in common, up to those of the training.
func (p *peers) shared() []string { return append(slices.Clip(p.own), "--") }

// host returns the package below runtime/host that runs the trainer.
func (p *peers) host() string {
	if p.count > 0 {
		return "dataparallel"
	}
	return "train"
}

// train runs the peers, or this machine's peer.
func (j *job) train(bin, dir string, args []string) error {
	p := j.group()
	switch {
	case p.count == 0:
		return j.runPeer(bin, append(args, "-until-eof"))
	case p.here:
		return j.runTogether(bin, dir, args)
	}
	member, err := p.member()
	if err != nil {
		return err
	}
	return j.runPeer(bin, slices.Concat(member, args, []string{"-until-eof"}))
}
