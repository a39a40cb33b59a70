package peer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/host/suggest"
)

// flagsOf parses the flags of a command, or prints its help.
func flagsOf(f *flag.FlagSet, args []string, what string, stdout io.Writer) error {
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	err := suggest.Flag(f.Parse(args), f)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(stdout)
		fmt.Fprintf(stdout, "usage: %s [flags]\n\n%s\n\n", f.Name(), what)
		f.PrintDefaults()
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() > 0:
		return usageError{fmt.Errorf("unexpected argument %q", f.Arg(0))}
	}
	return nil
}

// asksHelp reports whether the arguments of a command that takes the flags of the peer ask for help.
func asksHelp(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "-help" || a == "--help" })
}

// keyFlags are the flags with which commands find the file of a key.
type keyFlags struct{ file, dir string }

// parse reads the flags of a command. At least one of them must be given.
func (k *keyFlags) parse(name, file, dir, what string, args []string, stdout io.Writer) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.StringVar(&k.file, "key", "", file)
	f.StringVar(&k.dir, "state", "", dir)
	if err := flagsOf(f, args, what, stdout); err != nil {
		return err
	}
	if k.file == "" && k.dir == "" {
		return usageError{fmt.Errorf("%s: want -key FILE or -state DIR", name)}
	}
	return nil
}

// path returns the file of the key.
func (k *keyFlags) path() string {
	if k.file != "" {
		return k.file
	}
	return filepath.Join(k.dir, state.KeyFile)
}

func keygen(_ context.Context, _ *Program, args []string, stdout, _ io.Writer) error {
	var k keyFlags
	err := k.parse("keygen", "write the key to `FILE`, which must not exist", "write it to key.pem in `DIR`, where the peer looks for it",
		"Make a private key, readable by its owner alone, and print its peer id.", args, stdout)
	if err != nil {
		return err
	}
	if k.file == "" {
		if err := state.Make(disk.OS, k.dir); err != nil {
			return err
		}
	}
	key, err := trust.NewKey(k.path())
	if err == nil {
		_, err = fmt.Fprintln(stdout, trust.IDOf(key))
	}
	return err
}

func printID(_ context.Context, _ *Program, args []string, stdout, _ io.Writer) error {
	var k keyFlags
	if err := k.parse("id", "the key is in `FILE`", "the key is in key.pem in `DIR`", "Print the peer id of a key.", args, stdout); err != nil {
		return err
	}
	key, err := trust.ReadKey(k.path())
	if err == nil {
		_, err = fmt.Fprintln(stdout, trust.IDOf(key))
	}
	return err
}

func inviteCommand(_ context.Context, p *Program, args []string, stdout, _ io.Writer) error {
	f := flag.NewFlagSet("invite", flag.ContinueOnError)
	state := f.String("state", "", "the state directory of the peer that will be joined, `DIR`")
	class := f.String("class", "", "what the new peer will be: a `CLASS` of the program, or several as in client+server")
	rank := f.Int("rank", -1, "which of its class the new peer will be, `N`; -1 is the next free one")
	valid := f.Duration("valid", 24*time.Hour, "the invitation can be used for `TIME`")
	at := &Options{}
	at.listFlag(f, &at.Listen, "address", "where the new peer can dial this one, `ADDRESS`; several times (default: where it listens)")
	what := "Print an invitation for one more peer, which takes it with -join. It holds a\nsecret that can be used once: hand it over as you would a password."
	if err := flagsOf(f, args, what, stdout); err != nil {
		return err
	}
	if *state == "" || *class == "" {
		return usageError{errors.New("invite: want -state DIR and -class CLASS")}
	}
	if err := p.checkClass(*class); err != nil {
		return usageError{fmt.Errorf("invite: %w", err)}
	}
	t, err := trust.MakeToken(*state, classes.Join(classes.Split(*class)...), *rank, time.Now().Add(*valid), at.Listen)
	var wrong trust.ArgumentError
	if errors.As(err, &wrong) {
		return usageError{err}
	}
	if err == nil {
		_, err = fmt.Fprintln(stdout, t)
	}
	return err
}
