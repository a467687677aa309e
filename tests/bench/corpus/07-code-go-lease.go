// Package lease hands out time-limited ownership of named jobs. A lease that is
// not renewed before it ends may be taken by anyone; the fencing token tells a
// slow owner that it has lost.
package lease

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ErrHeld is returned by Acquire while somebody else owns the job.
var ErrHeld = errors.New("lease: held by another owner")

// Lease is one period of ownership.
type Lease struct {
	Job   string
	Owner string
	Token int64
	Until time.Time
}

// Store keeps leases in a table of the application's own database.
type Store struct {
	db  *sql.DB
	now func() time.Time
}

func NewStore(db *sql.DB) *Store {
	return &Store{db: db, now: time.Now}
}

const acquireSQL = `
INSERT INTO lease (job, owner, token, until)
VALUES ($1, $2, 1, $3)
ON CONFLICT (job) DO UPDATE
   SET owner = EXCLUDED.owner, token = lease.token + 1, until = EXCLUDED.until
 WHERE lease.until < $4 OR lease.owner = EXCLUDED.owner
RETURNING token`

// Acquire takes the job for ttl, or renews it if owner holds it already.
func (s *Store) Acquire(ctx context.Context, job, owner string, ttl time.Duration) (*Lease, error) {
	if ttl <= 0 {
		return nil, fmt.Errorf("lease: ttl must be positive, got %s", ttl)
	}
	now := s.now()
	until := now.Add(ttl)
	var token int64
	err := s.db.QueryRowContext(ctx, acquireSQL, job, owner, until, now).Scan(&token)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, ErrHeld
	case err != nil:
		return nil, fmt.Errorf("lease: acquire %q: %w", job, err)
	}
	return &Lease{Job: job, Owner: owner, Token: token, Until: until}, nil
}

// Run keeps the job while work runs and cancels work's context when the lease is lost.
func (s *Store) Run(ctx context.Context, job, owner string, ttl time.Duration,
	work func(context.Context, *Lease) error) error {
	held, err := s.Acquire(ctx, job, owner, ttl)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	go func() {
		ticker := time.NewTicker(ttl / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if _, err := s.Acquire(ctx, job, owner, ttl); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	return work(ctx, held)
}
