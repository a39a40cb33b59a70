package raft

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
	"go.etcd.io/raft/v3"
)

// Log implements the role Protocol of a server. It draws from the node's random source.
type Log struct {
	Servers  int // the number of servers, with ranks from 0
	Election int // the minimum number of periods without a leader after which a server becomes a candidate; 0: 10
	Keep     int // the number of missed rounds that a returning server gets individually; beyond that it gets only the last; 0: 4

	class   string
	rank    int
	node    *raft.RawNode
	storage *raft.MemoryStorage
	out     outbox
	machine machine

	leaderless int // periods without a leader
	least      int // periods before this server becomes a candidate; 0: not drawn yet
	pause      int // periods before a failed round is repeated
}

const (
	defaultElection = 10
	defaultKeep     = 4
	maxServers      = 64
)

func (l *Log) election() int { return cmp.Or(l.Election, defaultElection) }
func (l *Log) keep() int     { return cmp.Or(l.Keep, defaultKeep) }

// Open begins an empty log.
func (l *Log) Open(env runtime.Env) error {
	if l.Servers < 1 || l.Servers > maxServers || l.Election < 0 || l.Election == 1 || l.Keep < 0 {
		return fmt.Errorf("raft.Log: Servers is %d, Election %d and Keep %d, want 1 to %d servers, an election of 2 periods or more, and none below 0",
			l.Servers, l.Election, l.Keep, maxServers)
	}
	if env.Rank >= l.Servers {
		return fmt.Errorf("raft.Log: the server has rank %d, and those of %d servers hold the log", env.Rank, l.Servers)
	}
	l.class, l.rank, l.machine, l.out = env.Class, env.Rank, machine{applied: firstIndex}, outbox{}
	var err error
	if l.storage, err = newStorage(l.Servers); err != nil {
		return err
	}
	return l.start()
}

// idOf returns raft's id of the server of a rank.
func idOf(rank int) uint64 { return uint64(rank) + 1 }

// start begins with the content of the storage.
func (l *Log) start() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a log that raft cannot begin with: %v", r)
		}
	}()
	l.node, err = raft.NewRawNode(&raft.Config{
		ID: idOf(l.rank), Storage: l.storage, Applied: l.machine.applied,
		ElectionTick: l.election(), HeartbeatTick: 1,
		MaxSizePerMsg: maxEntries, MaxInflightMsgs: 8, MaxUncommittedEntriesSize: maxEntries,
		CheckQuorum: true, PreVote: true, DisableProposalForwarding: true,
		Logger: logger{},
	})
	l.leaderless, l.least = 0, 0
	return err
}

// maxEntries is how many bytes of entries may wait, and are sent at a time, in addition to one entry.
const maxEntries = 1 << 28

// Tick advances the time by a period, and returns the messages for the other servers.
func (l *Log) Tick(n runtime.Peer) ([]wire.PeerID, Batch, error) {
	l.tick(n.Rand().IntN)
	l.storeAndApply()
	return l.deliver(n)
}

// tick advances raft's time by a period. The election timeout follows from the node's random numbers, as raft's
// own would differ in each run: unless this server leads, raft is only told that time has passed.
func (l *Log) tick(draw func(n int) int) {
	l.pause = max(l.pause-1, 0)
	if l.isLeader() {
		l.node.Tick()
		return
	}
	l.node.TickQuiesced()
	if l.least == 0 {
		l.least = l.election() + draw(l.election())
	}
	if l.leaderless++; l.leaderless >= l.least {
		l.leaderless, l.least = 0, 0
		_ = l.node.Campaign() // fails only on a process that is no server
	}
}

// isLeader reports whether this server considers itself the leader.
func (l *Log) isLeader() bool { return l.node.BasicStatus().RaftState == raft.StateLeader }

// Leader returns the rank of the leader that this server knows, or -1.
func (l *Log) Leader() (int64, error) { return int64(l.node.BasicStatus().Lead) - 1, nil }

// Receive handles the messages of another server, and returns the answers.
func (l *Log) Receive(n runtime.Peer, from wire.PeerID, b Batch) ([]wire.PeerID, Batch, error) {
	if err := l.take(n, from, b); err != nil {
		return nil, Batch{}, err
	}
	return l.deliver(n)
}

// Answered handles the answers of another server.
func (l *Log) Answered(n runtime.Peer, from wire.PeerID, b Batch) error { return l.take(n, from, b) }
