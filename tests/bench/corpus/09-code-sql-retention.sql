-- How many accounts of each sign-up week are still active N weeks later?
with cohort as (
    select
        a.account_id,
        date_trunc('week', a.created_at)::date as signup_week,
        a.plan_code
    from accounts a
    where a.created_at >= date '2025-01-06'
      and not a.is_internal
),
activity as (
    select distinct
        e.account_id,
        date_trunc('week', e.occurred_at)::date as active_week
    from events e
    where e.name in ('document.opened', 'document.shared', 'comment.added')
),
joined as (
    select
        c.signup_week,
        c.plan_code,
        (x.active_week - c.signup_week) / 7 as week_no,
        count(distinct c.account_id) as active
    from cohort c
    join activity x using (account_id)
    where x.active_week >= c.signup_week
    group by 1, 2, 3
)
select
    j.signup_week,
    j.plan_code,
    s.size,
    max(round(100.0 * j.active / s.size, 1)) filter (where week_no = 1)  as w1,
    max(round(100.0 * j.active / s.size, 1)) filter (where week_no = 4)  as w4,
    max(round(100.0 * j.active / s.size, 1)) filter (where week_no = 12) as w12
from joined j
join (
    select signup_week, plan_code, count(*) as size
    from cohort
    group by 1, 2
) s using (signup_week, plan_code)
group by 1, 2, 3
having s.size >= 50
order by 1, 2;
