// Package run is the command line of a generated peer that computes one model:
// run, bench and info. It links no network.
package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/suggest"
	"github.com/bbgen/bbgen/runtime/model"
)

// A Command is one command of a peer's command line.
type Command struct {
	Name  string
	Short string
	Run   func(p model.Program, args []string, stdout io.Writer) error
}

// Commands are the commands of every peer.
var Commands = []Command{
	{"run", "compute outputs from tensor files", runModel},
	{"bench", "time runs and print one line of JSON", bench},
	{"info", "say what the model reads and writes", info},
}

// UsageError is a mistake on the command line. The exit code is 2.
type UsageError struct{ error }

// Usagef makes a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Main runs the command line of a program with the standard commands and more, and exits.
func Main(p model.Program, more ...Command) {
	os.Exit(Do(p, append(Commands[:len(Commands):len(Commands)], more...), os.Args[1:], os.Stdout, os.Stderr))
}

// Do is [Main] without exiting: it returns the exit code.
func Do(p model.Program, cmds []Command, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(p, cmds, stderr)
		return 2
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		usage(p, cmds, stdout)
		return 0
	}
	for _, c := range cmds {
		if c.Name != args[0] {
			continue
		}
		out := &printer{w: stdout}
		err := c.Run(p, args[1:], out)
		if err == nil {
			err = out.err
		}
		if err == nil || errors.Is(err, flag.ErrHelp) {
			return 0
		}
		// Errors of a run begin with the model's name, too.
		fmt.Fprintf(stderr, "%s %s: %s\n", p.Name, c.Name, strings.TrimPrefix(err.Error(), p.Name+": "))
		if bad := (UsageError{}); errors.As(err, &bad) {
			return 2
		}
		return 1
	}
	fmt.Fprintf(stderr, "%s: no command %q%s\n\n", p.Name, args[0], optional(args[0]))
	usage(p, cmds, stderr)
	return 2
}

// optional says how a model gets a command that not all have.
func optional(command string) string {
	switch command {
	case "serve", "pprof":
		return ": generate the model with --" + command
	}
	return ""
}

// printer is where a command prints. It keeps the first error, as a full disk is one of the
// command that has printed into a file.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

func usage(p model.Program, cmds []Command, w io.Writer) {
	fmt.Fprintf(w, "The model %q, compiled by bbgen from %s.\n\ncommands:\n", p.Name, p.Source)
	for _, c := range cmds {
		fmt.Fprintf(w, "  %-6s %s\n", c.Name, c.Short)
	}
	fmt.Fprintf(w, "\nCOMMAND -h lists its flags.\n")
}

// Flags makes the flag set of a command; [Parse] reads it.
func Flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {} // only the mistake is printed
	return f
}

// Parse reads the flags of a command without arguments. If help is requested it prints the flags and the
// example, and returns [flag.ErrHelp]; a mistake is a [UsageError].
func Parse(f *flag.FlagSet, args []string, example string, stdout io.Writer) error {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(stdout)
		fmt.Fprintf(stdout, "usage: %s [flags]\n\n", f.Name())
		f.PrintDefaults()
		fmt.Fprintf(stdout, "\nexample:\n  %s\n", example)
		return err
	case err != nil:
		return UsageError{suggest.Flag(err, f)}
	case f.NArg() > 0:
		return UsageError{fmt.Errorf("unexpected argument %q", f.Arg(0))}
	}
	return nil
}
