package mem

import "github.com/bbgen/bbgen/runtime"

// member is a peer that another one was told of while it ran. What a snapshot holds of
// that it knows by itself when it starts again.
type member struct {
	runtime.PeerConfig
	blocked bool
	taken   bool // a snapshot holds it
	safe    bool // that is safe
}

// Join starts a peer that was added with [Network.AddAbsent], which peer i admits.
func (w *Network) Join(i, absent int) {
	h, o := w.hosts[i], w.hosts[absent]
	h.tellMember(member{PeerConfig: runtime.PeerConfig{ID: o.config.Self, Class: o.class, Rank: o.config.Rank}})
	if !o.begun {
		o.introduce()
		o.start()
	}
}

// Block has peer i refuse another one from now on.
func (w *Network) Block(i, other int) {
	o := w.hosts[other]
	w.hosts[i].tellMember(member{PeerConfig: runtime.PeerConfig{ID: o.config.Self, Class: o.class, Rank: o.config.Rank}, blocked: true})
}

// AddAbsent is [Network.Add] of a peer that starts when it joins.
func (w *Network) AddAbsent(c runtime.Config, partition func() *runtime.Partition) {
	w.Add(c, partition)
	w.hosts[len(w.hosts)-1].absent = true
}

// tellMember tells a peer of another one, now or when it starts again.
func (h *host) tellMember(m member) {
	h.members = append(h.members, m)
	if h.node != nil {
		h.tell(&m)
		h.node.RequestCheckpoint()
		h.pump()
	}
}

func (h *host) tell(m *member) {
	if m.blocked {
		h.node.Block(m.ID)
	} else if err := h.node.Allow(m.PeerConfig); err != nil {
		h.w.fail(h, err)
	}
}

// tellMembers tells a peer that starts what its snapshot does not hold.
func (h *host) tellMembers() {
	for i := range h.members {
		if m := &h.members[i]; !m.safe {
			m.taken = false
			h.tell(m)
		}
	}
}
