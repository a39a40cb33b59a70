package peer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/upgrade"
)

// Main is the main function of a peer: it runs the program, or the command that the first argument names, and
// exits.
func Main(p Program) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	context.AfterFunc(ctx, cancel) // a second signal ends the process in the default way
	p.binary, _ = os.Executable()
	err := do(ctx, &p, os.Args[1:], os.Stdout, os.Stderr)
	if next, ok := errors.AsType[*upgrade.Successor](err); ok {
		err = next.Take()
	}
	os.Exit(exitCode(&p, err, os.Stderr))
}

// Do is [Main] without exiting: it returns the exit code, which is 2 for a mistake on the command line. When
// the context ends the peer stops in an orderly way.
func Do(ctx context.Context, p Program, args []string, stdout, stderr io.Writer) int {
	return exitCode(&p, do(ctx, &p, args, stdout, stderr), stderr)
}

// do runs the peer, or a command.
func do(ctx context.Context, p *Program, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return runPeer(ctx, p, args, stdout, stderr)
	}
	run := commands[args[0]]
	if run == nil {
		return usageError{fmt.Errorf("no command %q; there are\n%s", args[0], strings.TrimSuffix(commandList(), "\n"))}
	}
	return run(ctx, p, args[1:], stdout, stderr)
}

// exitCode prints an error, if there is one, and returns the exit code.
func exitCode(p *Program, err error, stderr io.Writer) int {
	var bad usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &bad):
		lastWords(stderr, fmt.Sprintf("%s: %v\n", p.Name, err))
		return 2
	}
	lastWords(stderr, fmt.Sprintf("%s: %v\n", p.Name, err))
	return 1
}

// lastWords reports why a process ends. It does not block if stderr has no reader.
func lastWords(stderr io.Writer, why string) {
	w := output.NewLog(stderr)
	io.WriteString(w, why)
	w.End()
}

// commands are the functions of the commands that [commandNames] lists.
var commands = map[string]func(ctx context.Context, p *Program, args []string, stdout, stderr io.Writer) error{
	"keygen":  keygen,
	"id":      printID,
	"invite":  inviteCommand,
	"doctor":  doctor,
	"upgrade": upgradeCommand,
	"version": printVersion,
}

// runPeer runs the program.
func runPeer(ctx context.Context, p *Program, args []string, stdout, stderr io.Writer) error {
	o, err := parse(p, args, stdout)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	logs := output.NewLog(stderr)
	defer logs.End()
	h, err := newHost(p, o, stdout, logs)
	if err != nil {
		return err
	}
	defer h.giveUp()
	if err := h.feed.CheckBoots(h.part, h.node); err != nil {
		return usageError{err}
	}
	h.ungiven = h.feed.Ungiven(h.part)
	h.upgrader.Binary, h.upgrader.Args = p.binary, args
	h.upgrader.Arrive()
	return h.upgrader.End(ctx, h.run(ctx))
}
