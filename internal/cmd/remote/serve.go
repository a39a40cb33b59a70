package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// serving are the flags of bbgen remote serve.
type serving struct {
	listen, allow        []string
	state                string
	memory, clientMemory cli.Bytes
	sessions, devices    int
	threads              int
	grace                time.Duration
	verbose              bool
}

func serveCommand() *cobra.Command {
	f := new(serving)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "serve until Ctrl-C",
		Long: `Serve prints where it can be reached, which is what clients set BBGEN_REMOTE_ADDRESS to,
and serves until Ctrl-C. All clients together may have three quarters of this machine's
memory, and each of them half of that, if nothing else is said.`,
		Example: `  bbgen remote serve                                       # for this machine alone
  bbgen remote serve --listen 0.0.0.0:7070 --memory 8GiB --client-memory 1GiB
  bbgen remote serve --allow 12D3KooW…                     # a client, or another server, by its id`,
		Args: cli.None(),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.listen, "listen", []string{"127.0.0.1:7070"}, "listen at this `address`; several times")
	flags.StringSliceVar(&f.allow, "allow", nil, "let the client with this `id` come, from now on; several times")
	flags.StringVar(&f.state, "state", "", stateUsage)
	flags.Var(&f.memory, "memory", "all clients may have so many `bytes`, as in 8GiB")
	flags.Var(&f.clientMemory, "client-memory", "each client may have so many `bytes`")
	flags.IntVar(&f.sessions, "sessions", 8, "the `number` of sessions that a client may have")
	flags.IntVar(&f.devices, "devices", 1, "offer this `number` of devices, each with its part of the memory")
	flags.IntVar(&f.threads, "threads", 0, "the `number` of threads that compute (default: all)")
	flags.DurationVar(&f.grace, "grace", time.Minute, "how long a session waits for its client after a break, a `time`")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log the begin and end of sessions")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defer cli.LeaveInterrupts()()
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return f.serve(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// serve serves until the context is done.
func (f *serving) serve(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := stateDir(f.state)
	if err != nil {
		return err
	}
	guests, err := peer.OpenGuests(dir)
	if err != nil {
		return err
	}
	defer guests.Close()
	c, err := f.config(guests, stderr)
	if err != nil {
		return err
	}
	s, err := server.New(*c)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := guests.Listens("server", s.Addresses()); err != nil {
		return err
	}
	for _, a := range s.Addresses() {
		fmt.Fprintln(stdout, a)
	}
	fmt.Fprintf(stdout, "%d MiB for all clients, %d MiB for each; %d threads at level %v\n", c.Memory>>20, c.ClientMemory>>20, cpu.Threads(), cpu.CurrentLevel())
	<-ctx.Done()
	return nil
}

// admit returns an admission that tells a client without an invitation what it can do.
func admit(redeem func(wire.PeerID, *wire.Hello) error) func(wire.PeerID, *wire.Hello) error {
	return func(id wire.PeerID, hello *wire.Hello) error {
		err := redeem(id, hello)
		if errors.Is(err, peer.ErrInvitation) && len(hello.JoinProof) == 0 {
			return fmt.Errorf("it does not know client %v: connect with an invitation (bbgen remote invite prints one), or start the server with --allow and this id", id)
		}
		return err
	}
}

// config returns the configuration from the flags and the properties of the machine.
func (f *serving) config(guests *peer.Guests, stderr io.Writer) (*server.Config, error) {
	m := machine.Read()
	if f.threads == 0 {
		f.threads = m.Threads()
	}
	cpu.SetThreads(f.threads)
	c := &server.Config{Key: guests.Key(), Admit: admit(guests.Redeem), Sessions: f.sessions, Devices: f.devices, Grace: f.grace}
	c.Memory, c.ClientMemory = limits(&m, int(min(f.memory, math.MaxInt)), int(min(f.clientMemory, math.MaxInt)))
	tensor.SetLimit(uint64(c.ClientMemory))
	if f.verbose {
		c.Log = slog.New(slog.NewTextHandler(stderr, nil))
	}
	if f.sessions < 1 || f.devices < 1 || f.grace <= 0 {
		return nil, cli.Usagef("--sessions is %d, --devices %d and --grace %v, want all above 0", f.sessions, f.devices, f.grace)
	}
	for _, text := range f.listen {
		a, err := peer.ParseAddress(text)
		if err != nil {
			return nil, cli.Usagef("--listen: %w", err)
		}
		c.Listen = append(c.Listen, a)
	}
	for _, text := range f.allow {
		id, err := wire.ParsePeerID(text)
		if err != nil {
			return nil, cli.Usagef("--allow: %w", err)
		}
		if err := guests.Add(id, "client"); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// limits returns the memory limits of all clients and of each, with defaults for omitted flags.
func limits(m *machine.Machine, all, each int) (int, int) {
	if all == 0 {
		have := m.Memory
		if have == 0 {
			have = machine.UsualMemory
		}
		all = int(min(have/4*3, math.MaxInt))
	}
	if each == 0 {
		each = all / 2
	}
	return all, min(each, all)
}
